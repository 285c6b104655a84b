import type { Environment } from '@agora-market/contract';
import type { Task } from '@agora-market/sdk';
import { Facts } from '../../ui/Facts.tsx';
import { bytes, count, duration } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { draftOf } from '../submit/draft.ts';
import { LongText } from './LongText.tsx';

/** The task as it was submitted. */
export function Given({ task }: { task: Task }) {
  const { description, code, files, repoUrl, repoRef, checks, heldOut, rubric, schema } = draftOf(task);
  const names = (list: typeof files) =>
    list &&
    list.length > 0 && (
      <ul>
        {list.map(({ path, sizeBytes }) => (
          <li key={path}>
            <bdi className="font-mono">{path}</bdi> <span className="figures text-faint">{bytes(sizeBytes)}</span>
          </li>
        ))}
      </ul>
    );
  return (
    <Section title="What you asked for" lead="All but the description is erased a day after the task was submitted.">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {description && <LongText text={description} name="description.txt" />}
        {code && <LongText text={code} name="code.txt" mono />}
        <Facts
          rows={[
            ['Files', names(files)],
            ['Repository', repoUrl ? `${repoUrl}${repoRef ? ` at ${repoRef}` : ''}` : null],
            ...sandboxRows(task.input.environment as Environment | undefined),
            [
              'Checks',
              checks && checks.length > 0 && (
                <ul className="grid gap-1">
                  {checks.map(({ name, command, weight }) => (
                    <li key={name}>
                      <bdi>{name}</bdi> <span className="figures text-faint">weight {weight}</span>
                      <code className="block font-mono text-tiny text-soft">{command.slice(0, 500)}</code>
                    </li>
                  ))}
                </ul>
              ),
            ],
            ['Held-out files', names(heldOut)],
            ['Rubric', rubric ? <LongText key="rubric" text={rubric} name="rubric.txt" /> : null],
            ['JSON Schema', schema ? <LongText key="schema" text={schema} name="schema.json" mono /> : null],
          ]}
        />
      </div>
    </Section>
  );
}

/** What the task asked for its sandboxes; no rows where that was nothing. */
function sandboxRows({ tools, image, memoryMb, cpus, diskMb, setup, timeouts = {} }: Environment = {}) {
  const { commandMs, setupMs } = timeouts;
  return [
    ['Tools', tools && tools.length > 0 && tools.join(', ')],
    ['Container image', image],
    ['Memory', memoryMb && `${count(memoryMb)} MiB`],
    ['CPU cores', cpus],
    ['Disk', diskMb && `${count(diskMb)} MiB`],
    [
      'Preparation',
      setup && (
        <code key="setup" className="font-mono text-tiny whitespace-pre-wrap">
          {setup.slice(0, 500)}
        </code>
      ),
    ],
    ['Time for a command', commandMs && duration(commandMs)],
    ['Time for the preparation', setupMs && duration(setupMs)],
  ] as const;
}
