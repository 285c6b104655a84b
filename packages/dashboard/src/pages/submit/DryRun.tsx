import { useMutation } from '@tanstack/react-query';
import { CircleCheck, CircleHelp, CircleX, FlaskConical } from 'lucide-react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { counted, duration } from '../../ui/format.ts';
import { Failure, Note } from '../../ui/States.tsx';
import { inputOf, type PartProps } from './draft.ts';
import { adviceOn, outcomeWords, type Tried, tellingOf, verdictOn } from './dry-run-words.ts';

/** Runs the checks over the material as it is, before anything is held: a check that passes now proves nothing. */
export function DryRun({ draft, change }: Pick<PartProps, 'draft' | 'change'>) {
  const input = inputOf(draft);
  const text = JSON.stringify(input);
  const run = useMutation({ mutationFn: (tried: typeof input) => agora.tasks.tryChecks({ input: tried }) });
  const isOld = run.variables !== undefined && JSON.stringify(run.variables) !== text;
  const checks = run.data?.checks;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          busy={run.isPending}
          why={input.acceptance?.checks?.some(({ command }) => command.trim()) ? null : 'Write a check first.'}
          onClick={() => run.mutate(input)}
        >
          <FlaskConical aria-hidden />
          Try the checks
        </Button>
        <p className="min-w-0 flex-1 basis-64 text-small text-faint">
          {run.isPending
            ? 'They run in a sandbox over your untouched material, for a minute at most.'
            : 'Runs them over your material as it is. Costs nothing.'}
        </p>
      </div>
      <Problem error={run.error} />
      {checks && (
        <div className="grid gap-2">
          {run.data?.inputWarnings.map((message) => (
            <Note key={message} kind="warn">
              {message}
            </Note>
          ))}
          <ul aria-label="Outcome of the checks" className="divide-y divide-line rounded-base border border-line">
            {checks.map((check, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list never changes
              <Outcome key={at} check={check} />
            ))}
          </ul>
          {isOld ? (
            <p className="text-small text-faint">You have changed the task since. Try the checks again.</p>
          ) : (
            <Verdict checks={checks} />
          )}
          <Require checks={checks} mustPass={draft.mustPass} require={(mustPass) => change({ mustPass })} />
        </div>
      )}
    </div>
  );
}

/** A refusal names the field that is wrong; without one it is told as any other failure. */
function Problem({ error }: { error: unknown }) {
  const [field] = Object.values(fieldErrors(error));
  return field ? <Note kind="bad">{field}</Note> : <Failure error={error} />;
}

interface RequireProps {
  checks: Tried[];
  mustPass: string[];
  require: (tests: string[]) => void;
}

/** Offers to require the tests that fail now: those are what a repair is for. */
function Require({ checks, mustPass, require }: RequireProps) {
  const failing = [...new Set(checks.flatMap(({ tests }) => tests?.failing ?? []))];
  const more = failing.filter((test) => !mustPass.includes(test));
  if (more.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button small onClick={() => require([...mustPass, ...more])}>
        Require {counted(more.length, 'failing test')}
      </Button>
      <p className="min-w-0 flex-1 basis-64 text-small text-faint">
        Then the work passes only if each of them does. Without it at least half of them must.
      </p>
    </div>
  );
}

function Verdict({ checks }: { checks: Tried[] }) {
  const { isGood, text } = verdictOn(checks);
  return (
    <>
      {checks.map((check, at) => {
        const advice = adviceOn(check);
        return (
          advice && (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list never changes
            <Note key={at} kind="warn">
              Look at <bdi className="font-medium">{check.name}</bdi>: {advice}
            </Note>
          )
        );
      })}
      {isGood ? <p className="text-small text-soft">{text}</p> : <Note kind="warn">{text}</Note>}
    </>
  );
}

function Outcome({ check }: { check: Tried }) {
  const { name, passed, exitCode, timedOut, durationMs, output, tests } = check;
  const Icon = tellingOf(check) === 'unclear' ? CircleHelp : passed ? CircleCheck : CircleX;
  const end = timedOut ? 'ran out of time' : exitCode === null ? 'was not run to its end' : `exit code ${exitCode}`;
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 gap-y-1 px-4 py-2.5 text-small">
      <Icon aria-hidden className={`mt-0.5 size-4 ${passed ? 'text-warn' : 'text-soft'}`} />
      <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
        {name}
      </span>
      <span className="text-soft">{outcomeWords(check)}</span>
      <details className="col-start-2 col-end-4 min-w-0">
        <summary className="figures text-faint hover:text-ink">
          {end} after {duration(durationMs)}
          {tests && ` · ${tests.passed} tests pass, ${tests.failed} fail`}
        </summary>
        {tests && tests.failing.length > 0 && (
          <ul aria-label="Tests that fail now" className="mt-2 list-disc pl-4 text-soft">
            {tests.failing.map((each) => (
              <li key={each} dir="auto" className="[overflow-wrap:anywhere]">
                {each}
              </li>
            ))}
          </ul>
        )}
        <pre
          dir="auto"
          className="mt-2 rounded-base bg-sunken p-3 font-mono text-tiny whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {output || 'It printed nothing.'}
        </pre>
      </details>
    </li>
  );
}
