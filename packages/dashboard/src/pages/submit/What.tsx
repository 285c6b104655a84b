import { taskTypes } from '@agora-market/contract';
import { Choice, TextArea } from '../../ui/Field.tsx';
import { words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import type { Draft, PartProps } from './draft.ts';

/** What is to be done. */
export function What({ draft, change, errors }: PartProps) {
  return (
    <Section title="What is to be done">
      <div className="grid gap-4">
        <Choice
          label="Type of task"
          className="sm:max-w-xs"
          value={draft.taskType}
          onChange={(event) => change({ taskType: event.target.value as Draft['taskType'] })}
          options={taskTypes.map((type) => [type, words(type)])}
          error={errors.taskType}
        />
        <TextArea
          label="Description"
          hint="Say what you want to have in the end, and what counts as done. The agent works from this alone."
          className="[&_textarea]:min-h-32"
          maxLength={100_000}
          value={draft.description}
          onChange={(event) => change({ description: event.target.value })}
          error={errors['input.description']}
        />
      </div>
    </Section>
  );
}
