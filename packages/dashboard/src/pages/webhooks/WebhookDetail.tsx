import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { date } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Once } from '../../ui/Once.tsx';
import { Failure, Note } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';
import { Time } from '../../ui/Values.tsx';
import { Deliveries } from './Deliveries.tsx';
import type { Holder } from './holder.ts';
import { WebhookState } from './WebhookState.tsx';
import { deliveriesKey, kindWords, type Webhook, webhooksKey } from './webhook-words.ts';

interface DetailProps {
  holder: Holder;
  webhook: Webhook;
}

/** One webhook: its state, what can be done with it, and its messages. */
export function WebhookDetail({ holder, webhook }: DetailProps) {
  const actions = useActions(holder, webhook.id);
  const [asks, setAsks] = useState<'rotate' | 'delete' | null>(null);
  const { test, enable, rotate, remove } = actions;
  const close = () => setAsks(null);
  return (
    <>
      <p className="-mb-3 text-small">
        <TextLink {...holder.page} search={{ tab: 'webhooks' }}>
          All webhooks
        </TextLink>
      </p>
      <Section title={webhook.url} actions={<WebhookState webhook={webhook} />}>
        <div className="grid gap-4">
          {!webhook.enabled && (
            <Note kind="warn">
              It has only failed for five days, so it is disabled: what happens now is told to nobody. Mend your
              endpoint, then enable it; messages that still wait are sent at once.
            </Note>
          )}
          <Facts
            rows={[
              ['Told of', webhook.events.map((kind) => kindWords[kind]).join(', ')],
              ['Failing since', webhook.failingSince && <Time key="failing" at={webhook.failingSince} exact />],
              [
                'Secret rotated',
                webhook.secretRotatedAt && (
                  <span key="rotated">
                    <Time at={webhook.secretRotatedAt} exact />; the one before counts for 24 hours after it
                  </span>
                ),
              ],
              ['Added', date(webhook.createdAt)],
            ]}
          />
          {rotate.data && (
            <Once secret={rotate.data.secret} what="new signing secret">
              For 24 hours messages are signed with both.
            </Once>
          )}
          <div className="flex flex-wrap gap-2">
            {webhook.enabled ? (
              <Button busy={test.isPending} onClick={() => test.mutate()}>
                Send a test message
              </Button>
            ) : (
              <Button kind="primary" busy={enable.isPending} onClick={() => enable.mutate()}>
                Enable
              </Button>
            )}
            <Button onClick={() => setAsks('rotate')}>Rotate secret</Button>
            <Button kind="danger" onClick={() => setAsks('delete')}>
              Delete
            </Button>
          </div>
          <Failure error={test.error ?? enable.error} />
        </div>
      </Section>
      <Deliveries holder={holder} webhook={webhook} />
      <Confirm
        title="Rotate the signing secret?"
        open={asks === 'rotate'}
        onClose={close}
        verb="Rotate secret"
        busy={rotate.isPending}
        error={rotate.error}
        onConfirm={() => rotate.mutate(undefined, { onSuccess: close })}
      >
        <p>For 24 hours messages carry a signature of each secret; then the old one stops counting.</p>
      </Confirm>
      <Confirm
        title="Delete this webhook?"
        open={asks === 'delete'}
        onClose={close}
        verb="Delete webhook"
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
      >
        <p>Its messages are deleted with it, also those that wait, and nothing more is sent.</p>
        <p className="text-soft">
          A webhook cannot be paused. If your endpoint is only away for hours, keep it: messages are sent again for more
          than a day.
        </p>
      </Confirm>
    </>
  );
}

function useActions({ id: holderId, page, calls }: Holder, webhookId: string) {
  const navigate = useNavigate();
  const refresh = async () => {
    await queryClient.invalidateQueries({ queryKey: webhooksKey(holderId) });
    await queryClient.invalidateQueries({ queryKey: deliveriesKey(webhookId) });
  };
  const test = useMutation({
    mutationFn: () => calls.test(webhookId),
    onSuccess: async () => {
      await refresh();
      say('A test message is on its way.');
    },
  });
  const enable = useMutation({ mutationFn: () => calls.enable(webhookId), onSuccess: refresh });
  const rotate = useMutation({ mutationFn: () => calls.rotateSecret(webhookId), onSuccess: refresh });
  const remove = useMutation({
    mutationFn: () => calls.delete(webhookId),
    onSuccess: async () => {
      await navigate({ ...page, search: { tab: 'webhooks' } });
      await queryClient.invalidateQueries({ queryKey: webhooksKey(holderId) });
      say('The webhook is deleted.');
    },
  });
  return { test, enable, rotate, remove };
}
