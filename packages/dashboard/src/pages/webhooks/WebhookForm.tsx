import type { Reply } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Checkbox, TextField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { Failure } from '../../ui/States.tsx';
import type { Holder } from './holder.ts';
import { kindWords, webhooksKey } from './webhook-words.ts';

interface FormProps {
  holder: Holder;
  open: boolean;
  onClose: () => void;
  onMade: (webhook: Reply<'webhooks.create'>) => void;
}

/** Asks for the endpoint and the events of a new webhook. */
export function WebhookForm({ holder: { id, kinds, calls }, open, onClose, onMade }: FormProps) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState(kinds);
  const create = useMutation({
    mutationFn: () => calls.create({ url: url.trim(), events: [...events] }),
    onSuccess: (webhook) => {
      setUrl('');
      void queryClient.invalidateQueries({ queryKey: webhooksKey(id) });
      onMade(webhook);
    },
  });
  const errors = fieldErrors(create.error);
  const why = events.length === 0 ? 'Choose at least one event.' : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!why && !create.isPending) create.mutate();
  };
  return (
    <Dialog title="Add a webhook" open={open} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="Endpoint"
          type="url"
          required
          autoFocus
          placeholder="https://agent.example.com/agora"
          hint="An https address that the internet can reach. It answers 2xx within 15 seconds."
          value={url}
          onChange={(event) => setUrl(event.target.value)}
          error={errors.url}
        />
        <fieldset className="grid gap-2">
          <legend className="mb-1.5 text-small font-medium">Tell it of</legend>
          {kinds.map((kind) => (
            <Checkbox
              key={kind}
              label={kindWords[kind]}
              checked={events.includes(kind)}
              onChange={(event) =>
                setEvents(kinds.filter((one) => (one === kind ? event.target.checked : events.includes(one))))
              }
            />
          ))}
        </fieldset>
        <Failure error={create.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={create.isPending} why={why}>
            Add webhook
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
