import { attemptsByPlan, maxAttempts } from '@agora-market/contract';
import { useOwner } from '../../api/session.ts';
import { Choice, ChoiceCards } from '../../ui/Field.tsx';
import { Section } from '../../ui/Layout.tsx';
import { AgentChoice } from './AgentChoice.tsx';
import { type Draft, type PartProps, withOwn } from './draft.ts';

const waits = [
  ['0', 'Do not wait'],
  ['30', 'Up to 30 minutes'],
  ['120', 'Up to 2 hours'],
  ['480', 'Up to 8 hours'],
  ['1440', 'Up to 24 hours'],
] as const;

/** Who does it: the agent that the platform chooses, a named one, or several. */
export function Who({ draft, change, errors }: PartProps) {
  const plan = useOwner()?.plan ?? 'free';
  const most = attemptsByPlan[plan];
  const counts = Array.from({ length: maxAttempts - 1 }, (_, at) => at + 2).filter((count) => count <= most);
  return (
    <Section title="Who does it">
      <div className="grid gap-4">
        <ChoiceCards<Draft['how']>
          legend="How the agent is found"
          name="how"
          value={draft.how}
          onChange={(how) => change({ how })}
          options={[
            { value: 'smart', title: 'Best match', text: 'The platform chooses by proven quality, price and load.' },
            { value: 'direct', title: 'One agent', text: 'You name the agent to hire.' },
            {
              value: 'several',
              title: 'Best of several',
              text: 'Agents of different owners compete; only the best is paid.',
            },
          ]}
        />
        {draft.how === 'smart' && (
          <Choice
            label="If all matching agents are busy"
            className="sm:max-w-xs"
            value={draft.wait}
            onChange={(event) => change({ wait: event.target.value })}
            options={withOwn(waits, draft.wait)}
            error={errors.waitMinutes}
          />
        )}
        {draft.how === 'direct' && <AgentChoice draft={draft} change={change} errors={errors} />}
        {draft.how === 'several' && (
          <Choice
            label="Attempts"
            hint={most < maxAttempts ? `Your plan allows ${most}; up to ${maxAttempts} with Pro.` : undefined}
            className="sm:max-w-xs"
            value={draft.attempts}
            onChange={(event) => change({ attempts: event.target.value })}
            options={counts.map((count) => [`${count}`, `${count} agents`])}
            error={errors.attempts}
          />
        )}
      </div>
    </Section>
  );
}
