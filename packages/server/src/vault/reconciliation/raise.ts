import { toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { type Clock, newUuid, type Pool, transaction } from '../../platform/index.ts';
import { type Finding, isNews } from './finding.ts';
import { lockKnown, putFinding, refreshFinding } from './finding-sql.ts';
import { flagWallet } from './flags.ts';

const hasAgent = (finding: Finding): finding is Finding & { agentId: string } => finding.agentId !== null;

interface Context {
  pool: Pool;
  clock: Clock;
  correlationId: string;
}

/** Stores a finding, tells owner and operator if it is new, and flags its wallet. A settled finding is always new. */
export const raise = (
  { pool, clock, correlationId }: Context,
  finding: Finding,
  status: 'open' | 'settled',
): Promise<{ id: string; isNew: boolean }> =>
  transaction(pool, 'write', async (tx) => {
    const at = clock.now();
    const known = await lockKnown(tx, finding);
    if (known && status === 'open' && !isNews(known, finding)) {
      await refreshFinding(tx, known.id, finding);
      return { id: known.id, isNew: false };
    }
    const noted = await putFinding(tx, known?.id ?? newUuid(clock), finding, status, at);
    if (!noted) throw new Error('the insert of a finding returned no row');
    const { kind, subject, here, there, ownerId } = finding;
    await appendEvent(tx, {
      type: 'reconciliation.finding',
      district: 'vault',
      at,
      correlationId,
      ...(finding.agentId !== null && { agentId: finding.agentId }),
      ...(ownerId !== null && { ownerId }),
      data: { findingId: toId('finding', noted.id), kind, subject, here, there, status },
    });
    if (hasAgent(finding)) await flagWallet(tx, finding, at, correlationId);
    return { id: noted.id, isNew: true };
  });
