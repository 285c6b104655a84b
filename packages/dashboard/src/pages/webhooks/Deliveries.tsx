import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { pagesOf, useRows } from '../../api/pages.ts';
import { Button } from '../../ui/Button.tsx';
import { Choice } from '../../ui/Field.tsx';
import { duration, words } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, errorText } from '../../ui/States.tsx';
import { State } from '../../ui/Status.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { say } from '../../ui/toast.tsx';
import { Code, Time } from '../../ui/Values.tsx';
import type { Holder } from './holder.ts';
import { type Delivery, deliveriesKey, kindWords, type Webhook, webhookDeliveryStatuses } from './webhook-words.ts';

/** Messages of a webhook, newest first. While some wait, the list asks again by itself. */
export function Deliveries({ holder, webhook }: { holder: Holder; webhook: Webhook }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const status = webhookDeliveryStatuses.find((one) => one === search.status);
  const query = useRows({
    ...pagesOf([...deliveriesKey(webhook.id), status ?? 'all'], (cursor) =>
      holder.calls.listDeliveries(webhook.id, { ...(status && { status }), ...cursor }),
    ),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some((one) => one.status === 'pending')) ? 2_000 : false,
  });
  const show = (wanted: string | undefined) => {
    const { tab, webhook: open } = search;
    void navigate({
      ...holder.page,
      search: { tab, webhook: open, ...(wanted && { status: wanted }) },
      resetScroll: false,
    });
  };
  return (
    <Section
      title="Messages"
      flush
      actions={
        <div data-filters>
          <Choice
            label="State"
            value={status ?? ''}
            onChange={(event) => show(event.target.value || undefined)}
            options={[['', 'All'], ...webhookDeliveryStatuses.map((one) => [one, stateWord(one)] as const)]}
          />
        </div>
      }
    >
      <Table
        label="Messages"
        columns={columnsOf((delivery) => <Redeliver holder={holder} webhook={webhook} delivery={delivery} />)}
        rowKey={({ id }) => id}
        {...tableOf(query)}
        empty={
          status ? (
            <Empty
              title={`No message is ${stateWord(status).toLowerCase()}`}
              actions={
                <Button kind="primary" onClick={() => show(undefined)}>
                  Show all messages
                </Button>
              }
            >
              A message waits, is delivered, or has failed after its last attempt.
            </Empty>
          ) : (
            <Empty title="No messages yet">
              One comes with {holder.first}. Send a test message to try your endpoint.
            </Empty>
          )
        }
      />
    </Section>
  );
}

const stateWord = (status: string) => (status === 'pending' ? 'Waiting' : words(status));

/** On a phone the reply and the button stand under the state. */
const columnsOf = (button: (delivery: Delivery) => ReactNode): Column<Delivery>[] => [
  {
    id: 'message',
    header: 'Message',
    cell: ({ type, sequence, taskId, createdAt }) => (
      <div className="grid justify-items-start gap-0.5">
        <span>
          {kindWords[type]} <span className="figures text-faint">#{sequence}</span>
        </span>
        <span className="text-soft">
          <Time at={createdAt} />
        </span>
        {taskId && <Code className="max-sm:hidden">{taskId}</Code>}
      </div>
    ),
  },
  {
    id: 'state',
    header: 'State',
    cell: (delivery) => <DeliveryState delivery={delivery} button={button(delivery)} />,
  },
  {
    id: 'reply',
    header: 'Last reply',
    wide: true,
    cell: ({ lastAttempt }) => lastAttempt && <Reply of={lastAttempt} />,
  },
  { id: 'again', header: 'Send again', wide: true, cell: button },
];

function DeliveryState({ delivery, button }: { delivery: Delivery; button: ReactNode }) {
  const { status, attempts, nextAttemptAt, lastAttempt } = delivery;
  return (
    <div className="grid justify-items-start gap-1">
      <State of={status} />
      <span className="figures text-soft">
        {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
        {nextAttemptAt && (
          <>
            , next <Time at={nextAttemptAt} />
          </>
        )}
      </span>
      <div className="mt-1 grid justify-items-start gap-2 sm:hidden">
        {lastAttempt && <Reply of={lastAttempt} />}
        {button}
      </div>
    </div>
  );
}

/** What the endpoint said, as text: it may be anybody's. */
function Reply({ of: { statusCode, error, excerpt, durationMs } }: { of: NonNullable<Delivery['lastAttempt']> }) {
  return (
    <div className="grid max-w-md gap-1">
      <span className="figures">
        {statusCode === null ? 'No reply' : `Status ${statusCode}`}{' '}
        <span className="text-faint">after {duration(durationMs)}</span>
      </span>
      {statusCode === null && error && <span className="text-bad [overflow-wrap:anywhere]">{error}</span>}
      {excerpt && (
        <details>
          <summary className="text-accent">What it said</summary>
          <pre className="mt-1 max-h-40 overflow-auto rounded-base bg-sunken p-2 font-mono text-tiny whitespace-pre-wrap [overflow-wrap:anywhere]">
            {excerpt}
          </pre>
        </details>
      )}
    </div>
  );
}

function Redeliver({ holder, webhook, delivery }: { holder: Holder; webhook: Webhook; delivery: Delivery }) {
  const client = useQueryClient();
  const redeliver = useMutation({
    mutationFn: () => holder.calls.redeliver(webhook.id, delivery.id),
    onSuccess: () => client.invalidateQueries({ queryKey: deliveriesKey(webhook.id) }),
    onError: (error) => say(`It was not sent again. ${errorText(error)}`),
  });
  const verb = delivery.status === 'pending' ? 'Send now' : 'Redeliver';
  return (
    <Button
      small
      busy={redeliver.isPending}
      why={webhook.enabled ? null : 'The webhook is disabled; enable it first.'}
      aria-label={`${verb}: ${kindWords[delivery.type]} ${delivery.sequence}`}
      onClick={() => redeliver.mutate()}
    >
      {verb}
    </Button>
  );
}
