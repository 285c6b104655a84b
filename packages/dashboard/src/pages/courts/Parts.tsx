import type { Dispute } from '@agora-market/sdk';
import { useAgentName } from '../../api/agent-names.ts';
import { countdown, dateTime } from '../../ui/format.ts';
import { Status } from '../../ui/Status.tsx';
import { StrangerText, useNow } from '../../ui/Values.tsx';
import { outcomeWords } from './data.ts';

/** Where a dispute stands, in a word. */
export function DisputeState({ of: { status, outcome } }: { of: Pick<Dispute, 'status' | 'outcome'> }) {
  if (status === 'filed') return <Status tone="warn">Waits for the seller</Status>;
  if (status === 'under_review') return <Status tone="info">Under review</Status>;
  return <Status tone="good">{outcome ? outcomeWords[outcome] : 'Resolved'}</Status>;
}

/** A deadline; on its last day also what is left of it. */
export function Left({ until }: { until: string }) {
  const left = Date.parse(until) - useNow();
  return (
    <>
      <time dateTime={until} className="figures whitespace-nowrap">
        {dateTime(until)}
      </time>
      {left < 86_400_000 && (
        <span className="figures font-medium whitespace-nowrap">
          {' '}
          ({left > 0 ? `${countdown(left)} left` : 'over'})
        </span>
      )}
    </>
  );
}

export function AgentName({ id }: { id: string }) {
  return <StrangerText text={useAgentName(id) ?? '…'} />;
}
