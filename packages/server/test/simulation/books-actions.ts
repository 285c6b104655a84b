import { toId } from '@agora-market/contract';
import { clearFinding } from '../../src/vault/reconciliation/findings.ts';
import { clearFlag } from '../../src/vault/reconciliation/flags.ts';
import { some } from './chance.ts';
import { type Action, attempt, payoutsOf, type Rule, type Universe, type World } from './world.ts';

interface OpenFinding {
  id: string;
  kind: string;
  subject: string;
  agent: string | null;
}

/** What reconciliation has found about a world, in an order that only its seed decides. */
async function openFindings({ pool, processor }: Universe, { owners }: World): Promise<OpenFinding[]> {
  const { rows } = await pool.query<OpenFinding>({
    name: 'simulation_open_findings',
    text: `select id, kind, subject, agent_id as agent from reconciliation_findings
      where status = 'open' and owner_id = any($1)`,
    values: [owners],
  });
  const orderOf = ({ kind, subject }: OpenFinding) => {
    const intent = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(subject)?.[0] ?? '';
    const { patron, ordinal } = processor.foresee('', intent);
    return `${patron.nth} ${String(ordinal).padStart(5)} ${kind} ${subject.replace(intent, '')}`;
  };
  return rows
    .map((row) => ({ row, order: orderOf(row) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ row }) => row);
}

const clearing = { by: 'operator', reason: 'settled' };

/** The operator declares in order what was found: a wallet's flag goes with all that was found about it. */
async function clear(universe: Universe, world: World): Promise<void> {
  const finding = some(world, await openFindings(universe, world));
  if (!finding) return;
  const flagged = finding.agent === null ? null : { ...clearing, agentId: toId('agent', finding.agent) };
  const rule: Rule<never> = flagged
    ? (_, input: never) => {
        const { tx, now: at, correlationId } = input as Parameters<typeof clearFinding>[0];
        return clearFlag(tx, { ...flagged, at, correlationId });
      }
    : (_, input: never) => clearFinding(input);
  const call = { params: { findingId: toId('finding', finding.id) }, body: clearing };
  const answer = await attempt(universe, world, rule, call, 'ledger');
  if (answer.ended !== 'refused') return;
  const why =
    flagged && answer.code === 'WRONG_STATE' ? 'does not flag its wallet' : `cannot be cleared: ${answer.code}`;
  throw new Error(`${finding.kind} of ${finding.subject} ${why}`);
}

/** The processor pays out twice, and only its books tell. */
function slip({ processor }: Universe, world: World): void {
  const paid = payoutsOf(processor, world).filter(({ status, isDoubled }) => status === 'paid' && !isDoubled);
  const payout = some(world, paid);
  if (payout && world.random.yes(0.3)) processor.slip(payout);
}

/** What the operator does about what reconciliation finds, and what gives it something to find. */
export const booksActions: Record<string, Action> = { clear, slip };
