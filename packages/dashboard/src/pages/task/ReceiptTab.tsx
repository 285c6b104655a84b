import type { Receipt, ReceiptCheck, Task } from '@agora-market/sdk';
import { verifyReceipt } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { Download, Printer } from 'lucide-react';
import { agora } from '../../api/client.ts';
import { command } from '../../api/commands.ts';
import { isOpen, taskQuery } from '../../api/tasks.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { saveFile } from '../../ui/download.ts';
import { Facts } from '../../ui/Facts.tsx';
import { dateTime, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Loaded, Note, Skeleton } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { Code, Money } from '../../ui/Values.tsx';
import { criterionWords } from './criterion-words.ts';

/** The signed receipt, verified here in the browser. */
export function ReceiptTab({ task }: { task: Task }) {
  const query = useQuery({
    queryKey: [...taskQuery(task.id).queryKey, 'receipt', task.status],
    queryFn: async () => {
      const [receipt, keys] = await Promise.all([agora.tasks.receipt(task.id), agora.system.jwks()]);
      return { receipt, check: await checked(receipt, keys) };
    },
    enabled: !isOpen(task),
    staleTime: 60_000,
  });
  if (isOpen(task))
    return (
      <Section>
        <Empty
          title="The receipt comes at the end"
          actions={
            <ButtonLink kind="primary" to="/tasks/$taskId" params={{ taskId: task.id }} search={{ tab: 'work' }}>
              Watch the work
            </ButtonLink>
          }
        >
          It is signed: it proves what was delivered, how it was judged and what was charged, to anybody and without
          this platform.
        </Empty>
      </Section>
    );
  return (
    <Loaded
      query={query}
      skeleton={
        <Section>
          <Skeleton lines={8} />
        </Section>
      }
    >
      {({ receipt, check }) => <Shown task={task} receipt={receipt} check={check} />}
    </Loaded>
  );
}

/** Null where the browser knows no Ed25519: that says nothing of the receipt. */
async function checked(receipt: Receipt, keys: Parameters<typeof verifyReceipt>[1]): Promise<ReceiptCheck | null> {
  try {
    return await verifyReceipt(receipt, keys);
  } catch {
    return null;
  }
}

function Shown({ task, receipt, check }: { task: Task; receipt: Receipt; check: ReceiptCheck | null }) {
  const file = JSON.stringify(receipt, null, 2);
  return (
    <Section
      title="Receipt"
      lead="Signed by this installation. Anybody can verify it offline."
      actions={
        <>
          <Button onClick={() => window.print()}>
            <Printer aria-hidden />
            Print
          </Button>
          <Button onClick={() => saveFile(`receipt-${task.id}.json`, 'application/json', [file])}>
            <Download aria-hidden />
            Download
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <Verdict check={check} />
        {check?.statement && <Statement task={task} statement={check.statement} keyId={check.told?.keyId ?? ''} />}
        <details className="screen-only text-small">
          <summary className="text-soft hover:text-ink">Verify it elsewhere</summary>
          <p className="mt-2">
            Download the receipt and run <Code>{command('verify-receipt receipt.json --public-key jwks.json')}</Code>{' '}
            with the keys from <Code>/.well-known/jwks.json</Code>.
          </p>
        </details>
      </div>
    </Section>
  );
}

function Verdict({ check }: { check: ReceiptCheck | null }) {
  if (check === null)
    return (
      <Note kind="warn">
        This browser cannot check Ed25519 signatures. Download the receipt and verify it elsewhere.
      </Note>
    );
  if (check.valid)
    return (
      <div className="flex flex-wrap items-center gap-3">
        <Status tone="good">Verified</Status>
        <p className="min-w-0 flex-1 basis-64 text-small text-soft">
          Your browser has checked the signature and all {check.told?.events} events against the published key.
        </p>
      </div>
    );
  return (
    <Note kind="bad">
      <p className="font-medium">Not verified</p>
      {check.problems.slice(0, 10).map((problem) => (
        <p key={problem}>{problem}</p>
      ))}
    </Note>
  );
}

interface StatementProps {
  task: Task;
  statement: NonNullable<ReceiptCheck['statement']>;
  keyId: string;
}

function Statement({ task, statement, keyId }: StatementProps) {
  const { predicate, subject } = statement;
  const { assessment } = predicate;
  return (
    <>
      <Facts
        rows={[
          ['Task', <Code key="id">{predicate.task.id}</Code>],
          ['Type', words(predicate.task.type)],
          ['Ended as', words(predicate.task.status)],
          ['Charged', task.creditsCharged !== null && <Money key="charged" cents={task.creditsCharged} />],
          ['Agent', predicate.task.agentId && <Code key="agent">{predicate.task.agentId}</Code>],
          ['Submitted', dateTime(predicate.task.createdAt)],
          ['Ended', predicate.task.finishedAt && dateTime(predicate.task.finishedAt)],
          ['Assessment', assessment && `${assessment.score} of 100, ${assessment.passed ? 'passed' : 'did not pass'}`],
          ['Issued', dateTime(predicate.issuedAt)],
          ['Issuer', predicate.issuer],
          ['Key', keyId && <Code key="key">{keyId}</Code>],
          ['Events', `${predicate.events.count}`],
          ['Last hash', <Code key="head">{predicate.events.head}</Code>],
        ]}
      />
      {assessment && assessment.checks.length > 0 && (
        <div>
          <h3 className="mb-1 text-small font-medium">How it was judged</h3>
          <ul className="grid gap-1 text-small">
            {assessment.checks.slice(0, 100).map(({ name, score }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list never changes
              <li key={at} className="flex justify-between gap-4">
                <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
                  {criterionWords(name)}
                </span>
                <span className="figures text-soft">{score ?? 'not run'}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div>
        <h3 className="mb-1 text-small font-medium">What was delivered (SHA-256)</h3>
        <ul className="grid gap-2 text-small">
          {subject.slice(0, 200).map(({ name, digest }) => (
            <li key={name}>
              <bdi className="[overflow-wrap:anywhere]">{name}</bdi>
              <code className="block font-mono text-tiny text-soft [overflow-wrap:anywhere]">{digest.sha256}</code>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
