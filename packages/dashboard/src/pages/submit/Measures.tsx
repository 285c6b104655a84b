import { Plus, X } from 'lucide-react';
import { Button } from '../../ui/Button.tsx';
import { Choice, TextArea, TextField } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';
import { DryRun } from './DryRun.tsx';
import type { Draft, DraftCheck, PartProps } from './draft.ts';
import { FileDrop } from './FileDrop.tsx';

/** How the delivery is measured: checks, held-out files, a schema, a rubric. */
export function Measures({ draft, change, errors }: PartProps) {
  const firstOf = (prefix: string) => Object.entries(errors).find(([path]) => path.startsWith(prefix))?.[1];
  const hasChecks = draft.checks.length > 0;
  return (
    <Section
      title="How you measure it"
      lead="Without a measure of your own, any plausible answer is paid. Agents never see the commands or the held-out files."
    >
      <div className="grid gap-5">
        <Checks draft={draft} change={change} errors={errors} />
        <FileDrop
          label="Add held-out files"
          hint="Tests and scripts that only your checks see. They are laid over the delivered work."
          files={draft.heldOut}
          onChange={(next) => change((before) => ({ heldOut: next(before.heldOut) }))}
          error={firstOf('input.acceptance.files')}
          rowError={(at) => errors[`heldOut.${at}`]}
        />
        {hasChecks && (
          <Choice
            label="What the agent may read of failed checks"
            className="sm:max-w-sm"
            value={draft.reveal}
            onChange={(event) => change({ reveal: event.target.value as Draft['reveal'] })}
            options={[
              ['', draft.heldOut.length > 0 ? 'Names only (usual with held-out files)' : 'Names and output (usual)'],
              ['none', 'Only that one failed'],
              ['names', 'Names'],
              ['output', 'Names and output'],
            ]}
          />
        )}
        {hasChecks && <DryRun draft={draft} change={change} />}
        <MustPass draft={draft} change={change} />
        <details className="group" open={draft.rubric !== '' || draft.schema !== '' || undefined}>
          <summary className="text-small font-medium text-soft hover:text-ink">
            For texts and data: rubric, JSON Schema
          </summary>
          <div className="mt-3 grid gap-4">
            <TextArea
              label="Rubric"
              optional
              hint="What a good delivery has, one point a line. Read by the judge where checks leave a doubt."
              maxLength={10_000}
              value={draft.rubric}
              onChange={(event) => change({ rubric: event.target.value })}
              error={errors['input.acceptance.rubric']}
            />
            <TextArea
              label="JSON Schema of the result"
              optional
              mono
              placeholder={'{ "type": "object", "required": ["summary"] }'}
              value={draft.schema}
              onChange={(event) => change({ schema: event.target.value })}
              error={firstOf('input.acceptance.schema')}
            />
          </div>
        </details>
      </div>
    </Section>
  );
}

/** Tests that the buyer has taken from a dry run. */
function MustPass({ draft: { mustPass }, change }: Pick<PartProps, 'draft' | 'change'>) {
  if (mustPass.length === 0) return null;
  return (
    <fieldset className="grid gap-2 rounded-base border border-line p-3 text-small">
      <legend className="px-1 font-medium">These tests must pass</legend>
      <ul className="grid gap-1">
        {mustPass.map((test) => (
          <li key={test} className="flex items-center gap-2">
            <bdi className="min-w-0 flex-1 [overflow-wrap:anywhere]">{test}</bdi>
            <Button
              small
              kind="quiet"
              aria-label={`Do not require ${test}`}
              onClick={() => change({ mustPass: mustPass.filter((each) => each !== test) })}
            >
              <X aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

const mostChecks = 20;

function Checks({ draft: { checks }, change, errors }: PartProps) {
  const set = (at: number, part: Partial<DraftCheck>) =>
    change({ checks: checks.map((check, nth) => (nth === at ? { ...check, ...part } : check)) });
  return (
    <div className="grid gap-3">
      {checks.map((check, at) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a check has no name of its own before it is typed
          key={at}
          className="grid grid-cols-[minmax(0,1fr)_5.5rem_auto] items-start gap-3 rounded-base border border-line p-3"
        >
          <legend className="sr-only">Check {at + 1}</legend>
          <TextField
            label="Name"
            placeholder="Tests pass"
            maxLength={100}
            value={check.name}
            onChange={(event) => set(at, { name: event.target.value })}
            error={errors[`input.acceptance.checks.${at}.name`]}
          />
          <TextField
            label="Weight"
            inputMode="decimal"
            value={check.weight}
            onChange={(event) => set(at, { weight: event.target.value })}
            error={errors[`input.acceptance.checks.${at}.weight`]}
          />
          <Button
            kind="quiet"
            aria-label={`Remove check ${at + 1}`}
            className="mt-6 px-2"
            onClick={() => change({ checks: checks.filter((_, nth) => nth !== at) })}
          >
            <X aria-hidden />
          </Button>
          <TextArea
            label="Command"
            mono
            rows={1}
            className="col-span-full"
            placeholder="npm test"
            value={check.command}
            onChange={(event) => set(at, { command: event.target.value })}
            error={errors[`input.acceptance.checks.${at}.command`]}
          />
        </fieldset>
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          onClick={() => change({ checks: [...checks, { name: '', command: '', weight: '1' }] })}
          why={checks.length >= mostChecks ? `A task takes ${mostChecks} checks.` : null}
        >
          <Plus aria-hidden />
          Add a check
        </Button>
        <p className="min-w-0 flex-1 basis-64 text-small text-faint">
          A shell command over the delivered workspace, without network. Exit code 0 passes. What it starts with{' '}
          <code>delivered</code> runs apart from it, which proves most.
        </p>
      </div>
    </div>
  );
}
