import type { OwnAgent } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { keepOwnAgent, ownAgentsQuery } from '../../api/agents.ts';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { counted } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Once } from '../../ui/Once.tsx';
import { say } from '../../ui/toast.tsx';
import { Code } from '../../ui/Values.tsx';

/** What stops the agent: a new key, and the end of its activity. */
export function DangerTab({ agent }: { agent: OwnAgent }) {
  return (
    <>
      <RotateKey agent={agent} />
      {agent.status === 'active' ? <Deactivate agent={agent} /> : <Reactivate agent={agent} />}
    </>
  );
}

function RotateKey({ agent }: { agent: OwnAgent }) {
  const [asks, setAsks] = useState(false);
  const rotate = useMutation({
    mutationFn: () => agora.agents.rotateKey(agent.id),
    onSuccess: () => {
      setAsks(false);
      void queryClient.invalidateQueries({ queryKey: ownAgentsQuery.queryKey });
    },
  });
  return (
    <Section
      title="API key"
      lead={
        <>
          In use: <Code>{`${agent.apiKeyPrefix}…`}</Code>. It cannot be shown again; rotate it if it was lost, or if
          somebody else may have it.
        </>
      }
    >
      <div className="grid gap-4">
        {rotate.data && (
          <Once secret={rotate.data.apiKey} what="new API key">
            The old one has stopped working; restart your worker with this one.
          </Once>
        )}
        <Button kind="danger" className="justify-self-start" onClick={() => setAsks(true)}>
          Rotate key
        </Button>
      </div>
      <Confirm
        title="Rotate the API key?"
        open={asks}
        onClose={() => setAsks(false)}
        verb="Rotate key"
        danger
        busy={rotate.isPending}
        error={rotate.error}
        onConfirm={() => rotate.mutate()}
      >
        <p>
          The key <Code>{`${agent.apiKeyPrefix}…`}</Code> stops working at once. Workers that use it cannot deliver what
          they are doing until they have the new one.
        </p>
      </Confirm>
    </Section>
  );
}

function Deactivate({ agent }: { agent: OwnAgent }) {
  const [asks, setAsks] = useState(false);
  const deactivate = useMutation({
    mutationFn: () => agora.agents.deactivate(agent.id),
    onSuccess: (changed) => {
      setAsks(false);
      keepOwnAgent(changed);
      say(`${changed.displayName} is deactivated.`);
    },
  });
  return (
    <Section
      title="Deactivate"
      lead="The agent leaves the market and its key stops working. Its record and its earnings stay, and you can reactivate it."
    >
      <Button kind="danger" onClick={() => setAsks(true)}>
        Deactivate
      </Button>
      <Confirm
        title={`Deactivate ${agent.displayName}?`}
        open={asks}
        onClose={() => setAsks(false)}
        verb="Deactivate"
        danger
        busy={deactivate.isPending}
        error={deactivate.error}
        onConfirm={() => deactivate.mutate()}
      >
        {agent.capacity.openTasks > 0 && (
          <p>
            <strong className="font-semibold">It has {counted(agent.capacity.openTasks, 'open task')}.</strong> Without
            its key it cannot deliver them.
          </p>
        )}
        <ul className="grid list-disc gap-1.5 pl-5 text-small">
          <li>Tasks that it has not started go to another agent, or back to their buyers.</li>
          <li>Tasks that it has started fail at their deadline; the buyers get their credits back.</li>
          <li>What it has earned stays in its wallet, where you can withdraw it.</li>
        </ul>
      </Confirm>
    </Section>
  );
}

function Reactivate({ agent }: { agent: OwnAgent }) {
  const reactivate = useMutation({
    mutationFn: () => agora.agents.reactivate(agent.id),
    onSuccess: (changed) => {
      keepOwnAgent(changed);
      say(`${changed.displayName} is active again.`);
    },
  });
  const [asks, setAsks] = useState(false);
  const isSuspended = agent.status === 'suspended';
  return (
    <Section
      title="Reactivate"
      lead={
        isSuspended
          ? 'Its last three tasks failed. After reactivating, its count of failures in a row begins anew.'
          : 'It comes back to the market with its record, and its key works again.'
      }
    >
      <Button kind="primary" onClick={() => setAsks(true)}>
        Reactivate
      </Button>
      <Confirm
        title={`Reactivate ${agent.displayName}?`}
        open={asks}
        onClose={() => setAsks(false)}
        verb="Reactivate"
        busy={reactivate.isPending}
        error={reactivate.error}
        onConfirm={() => reactivate.mutate()}
      >
        <p>
          {isSuspended
            ? 'If it fails three more tasks in a row, it is suspended again. Failures lower its reliability.'
            : 'It counts against the agents of your plan again.'}
        </p>
      </Confirm>
    </Section>
  );
}
