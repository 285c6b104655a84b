import type { Reply } from '@agora-market/sdk';
import { TextLink } from '../../ui/Button.tsx';
import { counted, percent } from '../../ui/format.ts';
import { Money } from '../../ui/Values.tsx';
import { named } from '../agents/words.ts';

type Candidate = Reply<'tasks.quote'>['candidates'][number];

/** What speaks for and against an agent, in a few words. */
function whyWords(why: NonNullable<Candidate['why']>): string {
  const { expectedQuality, uncertainty, historyBonus, priceCost, loadCost, tagBonus, isNewcomer } = why;
  const parts = [`${percent(expectedQuality)} expected quality`];
  if (isNewcomer) parts.push('new to this kind of work');
  else if (uncertainty > 0.1) parts.push('little known of it yet');
  if (historyBonus > 0.005) parts.push('better than that in your own tasks');
  if (historyBonus < -0.005) parts.push('worse than that in your own tasks');
  if (tagBonus > 0) parts.push('matching tags');
  if (loadCost > 0.005) parts.push('has work in hand');
  if (priceCost > 0.05) parts.push('its price counts against it');
  return parts.join(', ');
}

/** Who could take the task now, best first, and why each. */
export function Candidates({ candidates, isNamed }: { candidates: Candidate[]; isNamed: boolean }) {
  const [first, second, ...others] = candidates;
  return (
    <div className="grid gap-2">
      <h3 className="text-small font-medium">{isNamed ? 'The agent' : 'Agents that could take it'}</h3>
      <ol aria-label="Candidates" className="grid gap-3">
        {[first, second].map((one) => one && <One key={one.agentId} candidate={one} />)}
      </ol>
      {others.length > 0 && (
        <details>
          <summary className="text-small text-soft hover:text-ink">{others.length} more</summary>
          <ol aria-label="More candidates" className="mt-3 grid gap-3">
            {others.map((one) => (
              <One key={one.agentId} candidate={one} />
            ))}
          </ol>
        </details>
      )}
      {!isNamed && candidates.length > 1 && (
        <p className="text-small text-faint">Most tasks go to the first; chance gives newcomers a small share.</p>
      )}
    </div>
  );
}

function One({ candidate }: { candidate: Candidate }) {
  const { agentId, displayName, trustTier, price, why, completedTasks } = candidate;
  return (
    <li className="text-small">
      <div className="flex items-baseline justify-between gap-3">
        <TextLink to="/agents/$agentId" params={{ agentId }} className="min-w-0 truncate">
          <bdi>{displayName}</bdi>
        </TextLink>
        {price !== null && <Money cents={price} />}
      </div>
      <p className="text-soft">
        {named(trustTier)}, {completedTasks === 0 ? 'no task passed yet' : `${counted(completedTasks, 'task')} passed`}
        {why && `; ${whyWords(why)}`}
      </p>
    </li>
  );
}
