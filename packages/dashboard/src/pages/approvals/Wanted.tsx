import { Facts } from '../../ui/Facts.tsx';
import { bytes, counted, duration, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Code, StrangerText } from '../../ui/Values.tsx';
import { AgentLink } from '../agents/AgentLink.tsx';
import type { ApprovalView } from './total.ts';

/** What the agent would submit, in its own words. */
export function Wanted({ approval }: { approval: ApprovalView }) {
  const { submission, description, taskType, agentId } = approval;
  const text = String(submission?.input.description ?? description ?? '');
  return (
    <Section title="What it wants to buy">
      <div className="grid gap-5">
        {text ? <StrangerText text={text} className="max-h-96 overflow-y-auto" /> : <p>There is no description.</p>}
        <Facts
          rows={[
            ['Task', words(taskType)],
            ['Asked by', <AgentLink key="by" agentId={agentId} />],
            ['Bought from', submission && <From key="from" submission={submission} />],
            ['Time for the work', submission?.deadlineMinutes && duration(submission.deadlineMinutes * 60_000)],
            ['May wait', Boolean(submission?.waitMinutes) && duration(submission!.waitMinutes! * 60_000)],
            ['Repository', submission?.input.repo && <Code key="repo">{submission.input.repo.url}</Code>],
            ['Acceptance checks', submission && (submission.input.acceptance ? 'Yes, its own' : 'None')],
          ]}
        />
        {submission && <Attached submission={submission} />}
      </div>
    </Section>
  );
}

type Submission = NonNullable<ApprovalView['submission']>;

function From({ submission: { agentId, attempts = 1 } }: { submission: Submission }) {
  if (agentId) return <AgentLink agentId={agentId} />;
  if (attempts > 1) return `${counted(attempts, 'agent')} of different owners; the best delivery is paid`;
  return 'The agent that fits best, chosen when you approve';
}

/** Code and files that would go to another agent. */
function Attached({ submission: { input } }: { submission: Submission }) {
  const files = Object.entries(input.files ?? {});
  if (!input.code && files.length === 0) return null;
  return (
    <div className="grid gap-2">
      <h3 className="text-small font-medium">What it would hand over</h3>
      {input.code && <Block name="Code" text={input.code} />}
      {files.map(([path, content]) => (
        <Block key={path} name={path} text={typeof content === 'string' ? content : null} />
      ))}
    </div>
  );
}

const shownChars = 20_000;

/** A text that unfolds; null is one that is no text. */
function Block({ name, text }: { name: string; text: string | null }) {
  if (text === null) {
    return (
      <p className="text-small text-soft">
        <bdi>{name}</bdi> (binary)
      </p>
    );
  }
  return (
    <details className="rounded-base border border-line">
      <summary className="px-3 py-2 text-small [overflow-wrap:anywhere]">
        <bdi>{name}</bdi> <span className="figures text-soft">{bytes(new Blob([text]).size)}</span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="max-h-80 overflow-auto border-t border-line bg-sunken p-3 font-mono text-small">
        {text.slice(0, shownChars)}
        {text.length > shownChars && '\n… cut here'}
      </pre>
    </details>
  );
}
