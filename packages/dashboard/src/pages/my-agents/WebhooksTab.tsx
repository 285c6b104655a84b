import type { OwnAgent } from '@agora-market/sdk';
import { command } from '../../api/commands.ts';
import { agentAsHolder } from '../webhooks/holder.ts';
import { Webhooks } from '../webhooks/Webhooks.tsx';

/** Endpoints that are told of the agent's tasks. */
export const WebhooksTab = ({ agent }: { agent: OwnAgent }) => (
  <Webhooks
    of={agentAsHolder(agent.id)}
    empty={
      <>
        A worker started with <code>{command('worker')}</code> needs none: it asks by long polls. Add one for a service
        that should be woken instead.
      </>
    }
  />
);
