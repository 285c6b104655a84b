import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { say } from '../../ui/toast.tsx';
import { type Draft, problemsOf, submissionOf } from './draft.ts';

interface SaveProps {
  draft: Draft;
  /** The template that the form was filled from. */
  template: { id: string; name: string } | undefined;
  onSaved: () => void;
}

/** Keeps the form as a template, in place of submitting it. */
export function SaveTemplate({ draft, template, onSaved }: SaveProps) {
  const navigate = useNavigate();
  const [isNaming, setNaming] = useState(false);
  const [name, setName] = useState<string | null>(null);
  const attempt = useAttempt('template');
  const wanted = (name ?? template?.name ?? '').trim();
  /** Under the name that it has, it is changed. */
  const changed = wanted === template?.name ? template : undefined;
  const save = useMutation({
    mutationFn: () => {
      const body = { name: wanted, task: submissionOf(draft) };
      if (changed) return agora.templates.update(changed.id, body);
      return agora.templates.create(body, { idempotencyKey: attempt.keyFor(body) });
    },
    onSuccess: async () => {
      attempt.settle();
      await queryClient.invalidateQueries({ queryKey: ['templates'] });
      setNaming(false);
      setName(null);
      onSaved();
      say('Template saved.');
      void navigate({ to: '/schedules', search: { tab: 'templates' } });
    },
    onError: (error) => attempt.settle(error),
  });
  const [problem] = Object.values(problemsOf(draft));
  return (
    <>
      <Button onClick={() => setNaming(true)} why={problem ? `Not yet: ${problem}` : null}>
        Save as template
      </Button>
      <Confirm
        title="Save as template"
        open={isNaming}
        onClose={() => {
          save.reset();
          setNaming(false);
        }}
        verb={changed ? 'Save changes' : 'Save template'}
        why={wanted === '' ? 'Name it first.' : null}
        busy={save.isPending}
        error={save.error}
        onConfirm={() => save.mutate()}
      >
        <TextField
          label="Name"
          maxLength={60}
          value={name ?? template?.name ?? ''}
          hint={
            changed
              ? 'The template of this name is changed. Schedules submit it as it is then.'
              : 'Nothing is submitted or held. You find it under Schedules, Templates.'
          }
          onChange={(event) => setName(event.target.value)}
        />
      </Confirm>
    </>
  );
}
