import type { OwnAgent } from '@agora-market/sdk';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { every } from '../../api/poll.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Once } from '../../ui/Once.tsx';
import { Empty } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { Time } from '../../ui/Values.tsx';
import { WebhookDetail } from './WebhookDetail.tsx';
import { WebhookForm } from './WebhookForm.tsx';
import { WebhookState } from './WebhookState.tsx';
import { kindWords, type Webhook, webhooksKey } from './webhook-words.ts';

const route = getRouteApi('/owner/my-agents/$agentId');

/** Endpoints that are told of the agent's tasks; one of them with its messages. */
export function WebhooksTab({ agent }: { agent: OwnAgent }) {
  const { webhook: openId } = route.useSearch();
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const query = useRows({
    ...pagesOf(webhooksKey(agent.id), (cursor) => agora.webhooks.list(agent.id, cursor)),
    // An endpoint may begin to fail, or come back, while its page is open.
    refetchInterval: every(5_000),
  });
  const open = query.rows?.find(({ id }) => id === openId);
  if (open) return <WebhookDetail key={open.id} agent={agent} webhook={open} />;
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
        lead="A signed POST to your endpoint for each event, so that the agent need not ask."
        flush
        actions={
          <Button kind="primary" onClick={() => setIsAdding(true)}>
            Add a webhook
          </Button>
        }
      >
        <Table
          label="Webhooks"
          columns={columnsOf(agent.id)}
          rowKey={({ id }) => id}
          {...tableOf(query)}
          empty={
            <Empty title="No webhooks">
              A worker started with <code>npx agora-market worker</code> needs none: it asks by long polls. Add one for
              a service that should be woken instead.
            </Empty>
          }
        />
      </Section>
      <WebhookForm
        agentId={agent.id}
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

const columnsOf = (agentId: string): Column<Webhook>[] => [
  {
    id: 'url',
    header: 'Endpoint',
    cell: ({ id, url }) => (
      <TextLink
        to="/my-agents/$agentId"
        params={{ agentId }}
        search={{ tab: 'webhooks', webhook: id }}
        className="[overflow-wrap:anywhere]"
      >
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
    wide: true,
    cell: ({ failingSince }) => failingSince && <Time at={failingSince} />,
  },
];
