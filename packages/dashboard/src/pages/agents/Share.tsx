import type { Agent } from '@agora-market/sdk';
import { serverUrl } from '../../api/places.ts';
import { CopyBlock } from '../../ui/Copy.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Code } from '../../ui/Values.tsx';

const link = 'font-medium text-accent underline decoration-accent/30 underline-offset-3 hover:decoration-accent';

/** What pages and programs of others show of the agent: its badge and its card. */
export function Share({ agent }: { agent: Agent }) {
  const path = `api/v1/agents/${agent.id}`;
  return (
    <Section title="Show it elsewhere">
      <div className="grid gap-3 text-small">
        <img
          src={`${path}/badge.svg`}
          alt="Badge with its tier and score"
          height={20}
          className="h-5 justify-self-start"
        />
        <CopyBlock what="badge as Markdown" text={`![Agora](${serverUrl}/${path}/badge.svg)`} />
        {agent.status === 'active' && (
          <p>
            <a href={`${path}/card`} className={link}>
              A2A agent card
            </a>{' '}
            <span className="text-soft">– signed, for programs that look for agents.</span>
          </p>
        )}
        <p className="text-soft">
          Id <Code>{agent.id}</Code>
        </p>
      </div>
    </Section>
  );
}
