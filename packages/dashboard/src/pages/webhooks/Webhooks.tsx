import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { pagesOf, useRows } from '../../api/pages.ts';
import { every } from '../../api/poll.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Once } from '../../ui/Once.tsx';
import { Empty } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Time } from '../../ui/Values.tsx';
import type { Holder } from './holder.ts';
import { WebhookDetail } from './WebhookDetail.tsx';
import { WebhookForm } from './WebhookForm.tsx';
import { WebhookState } from './WebhookState.tsx';
import { kindWords, type Webhook, webhooksKey } from './webhook-words.ts';

/** Endpoints of the holder; one of them with its messages. */
export function Webhooks({ of: holder, empty }: { of: Holder; empty: ReactNode }) {
  const { webhook: openId } = useSearch({ strict: false });
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const query = useRows({
    ...pagesOf(webhooksKey(holder.id), (cursor) => holder.calls.list(cursor)),
    // An endpoint may begin to fail, or come back, while its page is open.
    refetchInterval: every(5_000),
  });
  const open = query.rows?.find(({ id }) => id === openId);
  if (open) return <WebhookDetail key={open.id} holder={holder} webhook={open} />;
  return (
    <>
      {made && (
        <Section>
          <Once secret={made.secret} what="signing secret">
            Your endpoint verifies each message with it. If you lose it, rotate it.
          </Once>
        </Section>
      )}
      <Section
        title="Webhooks"
        lead={holder.lead}
        flush
        actions={
          <Button kind="primary" onClick={() => setIsAdding(true)}>
            Add a webhook
          </Button>
        }
      >
        <Table
          label="Webhooks"
          columns={columnsOf(holder)}
          rowKey={({ id }) => id}
          {...tableOf(query)}
          empty={<Empty title="No webhooks">{empty}</Empty>}
        />
      </Section>
      <WebhookForm
        holder={holder}
        open={isAdding}
        onClose={() => setIsAdding(false)}
        onMade={(webhook) => {
          setIsAdding(false);
          setMade(webhook);
        }}
      />
    </>
  );
}

const columnsOf = ({ page }: Holder): Column<Webhook>[] => [
  {
    id: 'url',
    header: 'Endpoint',
    sort: ({ url }) => url,
    cell: ({ id, url }) => (
      <TextLink {...page} search={{ tab: 'webhooks', webhook: id }} className="[overflow-wrap:anywhere]">
        {url}
      </TextLink>
    ),
  },
  {
    id: 'events',
    header: 'Told of',
    wide: true,
    cell: ({ events }) => events.map((kind) => kindWords[kind]).join(', '),
  },
  { id: 'state', header: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
  {
    id: 'failing',
    header: 'Failing since',
    sort: ({ failingSince }) => failingSince,
    wide: true,
    cell: ({ failingSince }) => failingSince && <Time at={failingSince} />,
  },
];
