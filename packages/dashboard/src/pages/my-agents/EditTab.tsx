import type { OwnAgent } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { keepOwnAgent } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { sayUndo } from '../../ui/undo.tsx';
import { ProfileFields } from './ProfileFields.tsx';
import { changesOf, draftOf, type ProfileDraft, whyNot } from './profile-form.ts';

/** The profile as a form. What is typed and not saved survives other tabs and a reload. */
export function EditTab({ agent }: { agent: OwnAgent }) {
  const saved = draftOf(agent);
  const [draft, change, forget, discard] = useKept(`agent.${agent.id}`, saved);
  const isChanged = Object.keys(changesOf(draft, saved)).length > 0;
  const save = useMutation({
    mutationFn: (sent: ProfileDraft) => agora.agents.update(agent.id, changesOf(sent, saved)),
    onSuccess: (changed, sent) => {
      keepOwnAgent(changed);
      forget(sent);
      const text = 'Saved. Buyers see it at once.';
      const back = changesOf(saved, sent);
      // A model that is verified is not, once it was another.
      if ('model' in back || 'modelEndpoint' in back) return say(text);
      sayUndo(text, async () => keepOwnAgent(await agora.agents.update(agent.id, back)));
    },
  });
  const why = isChanged ? whyNot(draft) : 'Nothing has changed.';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && !save.isPending) save.mutate(draft);
  };
  return (
    <form onSubmit={submit}>
      <Section>
        <div className="grid gap-5">
          <ProfileFields draft={draft} change={change} errors={fieldErrors(save.error)} />
          <Failure error={save.error} />
          <div className="flex justify-end gap-2">
            {isChanged && <Button onClick={discard}>Discard changes</Button>}
            <Button type="submit" kind="primary" busy={save.isPending} why={why}>
              Save
            </Button>
          </div>
        </div>
      </Section>
    </form>
  );
}
