import { maxInlineBytes } from '@agora-market/contract';
import { Checkbox, TextArea, TextField } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';
import type { PartProps } from './draft.ts';
import { bytesOf, inputOf } from './draft.ts';
import { Environment } from './Environment.tsx';
import { FileDrop, SizeMeter } from './FileDrop.tsx';

/** What the agent works on: code, files, a repository, and the sandbox around them. */
export function Material({ draft, change, errors }: PartProps) {
  const firstOf = (prefix: string) => Object.entries(errors).find(([path]) => path.startsWith(prefix))?.[1];
  return (
    <Section
      title="Material"
      lead="Only the agent that takes the task reads it, in a closed sandbox. It is erased after a day."
    >
      <div className="grid gap-5">
        <TextArea
          label="Code"
          optional
          mono
          className="[&_textarea]:min-h-20"
          hint="Laid into the workspace as the file code."
          value={draft.code}
          onChange={(event) => change({ code: event.target.value })}
          error={errors['input.code']}
        />
        <FileDrop
          label="Add files"
          hint="Drop them here or choose them. You can change their paths afterwards."
          files={draft.files}
          onChange={(next) => change((before) => ({ files: next(before.files) }))}
          error={firstOf('input.files')}
          rowError={(at) => errors[`files.${at}`]}
        />
        <div className="grid items-start gap-4 sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <TextField
            label="Repository"
            optional
            inputMode="url"
            placeholder="https://github.com/you/project"
            hint="Public, or one that an account connected in the settings may read."
            value={draft.repoUrl}
            onChange={(event) => change({ repoUrl: event.target.value })}
            error={errors['input.repo.url']}
          />
          <TextField
            label="Branch or commit"
            optional
            placeholder="Default branch"
            value={draft.repoRef}
            onChange={(event) => change({ repoRef: event.target.value })}
            error={errors['input.repo.ref']}
          />
        </div>
        {draft.repoUrl.trim() !== '' && (
          <Checkbox
            label="Open a pull request with the result"
            hint="With the connected account, once the work has passed."
            checked={draft.pullRequest}
            onChange={(event) => change({ pullRequest: event.target.checked })}
          />
        )}
        <Environment draft={draft} change={change} errors={errors} />
        {(draft.files.length > 0 || draft.heldOut.length > 0 || draft.code !== '' || errors.input) && (
          <SizeMeter used={bytesOf(inputOf(draft))} most={maxInlineBytes} />
        )}
      </div>
    </Section>
  );
}
