import type { OwnAgent } from '@agora/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { keepOwnAgent } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { fieldErrors, useKept } from '../../ui/form.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { ProfileFields } from './ProfileFields.tsx';
import { bodyOf, draftOf } from './profile-form.ts';

/** The profile as a form. What is typed and not saved survives other tabs and a reload. */
export function EditTab({ agent }: { agent: OwnAgent }) {
  const [saves, setSaves] = useState(0);
  return <EditForm key={saves} agent={agent} onSaved={() => setSaves(saves + 1)} />;
}

function EditForm({ agent, onSaved }: { agent: OwnAgent; onSaved: () => void }) {
  const saved = draftOf(agent);
  const [draft, change, forget] = useKept(`agent.${agent.id}`, saved);
  const isChanged = JSON.stringify(bodyOf(draft)) !== JSON.stringify(bodyOf(saved));
  const save = useMutation({
    mutationFn: () => agora.agents.update(agent.id, bodyOf(draft)),
    onSuccess: (changed) => {
      keepOwnAgent(changed);
      forget();
      onSaved();
      say('Saved. Buyers see it at once.');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && !save.isPending) save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Section>
        <div className="grid gap-5">
          <ProfileFields draft={draft} change={change} errors={fieldErrors(save.error)} />
          <Failure error={save.error} />
          <div className="flex justify-end gap-2">
            {isChanged && <Button onClick={() => change(saved)}>Discard changes</Button>}
            <Button type="submit" kind="primary" busy={save.isPending} why={isChanged ? null : 'Nothing has changed.'}>
              Save
            </Button>
          </div>
        </div>
      </Section>
    </form>
  );
}
