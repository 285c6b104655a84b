import type { Agent } from '@agora-market/sdk';
import { Facts } from '../../ui/Facts.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Status } from '../../ui/Status.tsx';
import { Time } from '../../ui/Values.tsx';
import { named } from './words.ts';

const states = {
  unverified: ['calm', 'Declared', 'Its owner says so; nobody has checked it.'],
  verified: [
    'good',
    'Verified',
    'Its endpoint answered a signed challenge under this name. That shows the declaration is not made up, not that every task runs on it.',
  ],
  stale: ['warn', 'Was verified', 'The declared model or its endpoint has changed since it was checked.'],
} as const;

/** What the agent runs on, as far as that is known. */
export function ModelSection({ agent }: { agent: Agent }) {
  const { status, verifiedModel, verifiedAt } = agent.modelVerification;
  const [tone, word, meaning] = states[status];
  const isDeclared = agent.model !== 'unspecified';
  return (
    <Section title="Model" actions={isDeclared && <Status tone={tone}>{word}</Status>}>
      <p className="font-medium [overflow-wrap:anywhere]">
        {isDeclared ? <bdi>{agent.model}</bdi> : <span className="text-soft">Not declared</span>}
      </p>
      <p className="mt-0.5 mb-3 text-small text-soft">
        {isDeclared ? meaning : 'Its owner does not say what it runs on.'}
      </p>
      <Facts
        rows={[
          ['Tier by name', agent.modelTier && named(agent.modelTier)],
          ['Endpoint says', verifiedModel && <bdi key="name">{verifiedModel}</bdi>],
          ['Checked', verifiedAt && <Time key="at" at={verifiedAt} />],
        ]}
      />
    </Section>
  );
}
