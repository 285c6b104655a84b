import { clearScores, type TaskMessage, toId } from '@agora-market/contract';
import { rescore, type Verdict } from '../gate/index.ts';
import { newUuid, transaction } from '../platform/index.ts';
import { messagesAbout, type NewRun } from '../tasks/index.ts';
import type { DisputeDeps } from './deps.ts';
import { appendDisputeEvent } from './dispute-events.ts';
import { insertAssessment, type Leased, markReassessed, postponeReassessment } from './due-sql.ts';
import { payableShare } from './payable-share.ts';
import { verdictsOf } from './proofs-sql.ts';
import { attempt } from './runs.ts';
import { disputedTask, settle } from './settle.ts';
import {
  disputedDelivery,
  lockDispute,
  type Ruling,
  type StatementRow,
  statementsOf,
  storedAssessment,
} from './sql.ts';

/** Each line is marked, so that no text can pass for a statement of the other party. */
const quoted = (text: string) => text.replaceAll(/^/gm, '> ');

/** The statements of the parties as one text; the judge reads it as data. */
export const spoken = (statements: StatementRow[]): string =>
  statements
    .map(({ by, text, evidence }) => {
      const shown = evidence.map((each) => `${by} shows ${JSON.stringify(each.label)}:\n${quoted(each.text)}`);
      return [`${by} says:\n${quoted(text)}`, ...shown].join('\n\n');
    })
    .join('\n\n');

/** Characters of what each party wrote, so that neither drowns the other. */
const mostSaid = 6_000;

/** What both wrote while the task was done; the judge reads it as data, too. */
function written(messages: readonly Pick<TaskMessage, 'author' | 'kind' | 'text'>[]): string {
  const said = messages.map((message) => ({ by: message.author === 'agent' ? 'seller' : 'buyer', ...message }));
  return said
    .map(({ by, author, kind, text }) => {
      const share = Math.floor(mostSaid / said.filter((each) => each.by === by).length);
      return `${by} wrote during the task (${author === 'policy' ? 'default answer' : kind}):\n${quoted(text.slice(0, share))}`;
    })
    .join('\n\n');
}

/** The outcome that a new verdict decides; null where the operator decides. */
function rulingOn({ score, judge }: Verdict): Ruling | null {
  const by = { share: null, decidedBy: 'reassessment', note: null } as const;
  if (score < clearScores.buyerBelow) return { outcome: 'buyer_wins', ...by };
  // Without a judge nobody has read what the buyer says.
  return score >= clearScores.sellerFrom && judge?.status === 'judged' ? { outcome: 'seller_wins', ...by } : null;
}

async function verdictOn(deps: DisputeDeps, taskId: string, text: string): Promise<NewRun> {
  const fresh = await deps.gate.again(taskId, text);
  if (fresh !== null) return fresh;
  const stored = await storedAssessment(deps.pool, taskId);
  if (!stored) throw new Error('a disputed task has no assessment');
  return { verdict: await rescore(stored, deps.judge, text), book: () => undefined };
}

/** Stores the verdict and lets it decide, unless the dispute was decided meanwhile. */
async function conclude(deps: DisputeDeps, { id, taskId }: Leased, { verdict, book }: NewRun): Promise<void> {
  const assessmentId = newUuid(deps.clock);
  const stored = await transaction(deps.pool, 'ledger', async (tx) => {
    const found = await lockDispute(tx, id);
    if (found?.status !== 'under_review' || found.reassessed) return false;
    const at = deps.clock.now();
    await insertAssessment(tx, { ...verdict, id: assessmentId, taskId, purpose: 'dispute', at });
    await markReassessed(tx, id, assessmentId);
    const result = { assessmentId: toId('assessment', assessmentId), score: verdict.score };
    await appendDisputeEvent(tx, found, 'dispute.reassessed', result, at);
    const ruling = rulingOn(verdict);
    const winner = ruling?.outcome === 'buyer_wins' ? 'buyer' : 'seller';
    // A proof of the other side weighs more, and one that was not run yet may be one.
    const proofs = await verdictsOf(tx, id);
    if (!ruling || proofs.some((each) => each !== winner && each !== 'nobody')) return true;
    const task = await disputedTask(tx, found);
    const isPayable = ruling.outcome !== 'buyer_wins' || (await payableShare(tx, task)) === 100;
    if (isPayable) await settle(tx, { found, task }, 'conclude', ruling, at, deps.config);
    return true;
  });
  if (stored) book(assessmentId);
}

/** Assesses a disputed delivery again. In the end the operator decides without it. */
export const reassessDispute = (deps: DisputeDeps, leased: Leased): Promise<void> =>
  attempt(
    deps,
    leased,
    async () => {
      const { id, taskId } = leased;
      const said = spoken(await statementsOf(deps.pool, id));
      const delivery = await disputedDelivery(deps.pool, taskId);
      const before = written(await messagesAbout(deps.pool, delivery, deps.clock.now()));
      await conclude(deps, leased, await verdictOn(deps, taskId, [said, before].filter(Boolean).join('\n\n')));
    },
    {
      message: 'a disputed delivery could not be assessed again',
      giveUp: () => markReassessed(deps.pool, leased.id, null),
      putOff: (until) => postponeReassessment(deps.pool, leased.id, until),
    },
  );
