import { type DisputeOutcome, type DisputeStatus, toId } from '@agora-market/contract';
import { appealAssessment } from '../../src/disputes/appeals/appeal.ts';
import { fileDispute } from '../../src/disputes/file.ts';
import { resolveDispute } from '../../src/disputes/resolve.ts';
import { respond, supplement } from '../../src/disputes/statements.ts';
import { courtConfig, courtTimes } from './court.ts';
import {
  type Action,
  type Answer,
  attempt,
  callerOf,
  type Rule,
  type SimulatedTask,
  type Universe,
  type World,
} from './world.ts';

const now = ({ clock }: Universe) => clock.now().getTime();

/** Throws where an answer is not the one that must be; a process that died owes none. */
function expectAnswer(answer: Answer, what: string, refusals: readonly string[]): void {
  if (answer.ended === 'died') return;
  const was = answer.ended === 'refused' ? answer.code : 'taken';
  const allowed = refusals.length > 0 ? refusals : ['taken'];
  if (!allowed.includes(was)) throw new Error(`${what} was ${was}, and had to be ${allowed.join(' or ')}`);
}

interface OpenDispute {
  id: string;
  task: string;
  status: DisputeStatus;
  respondBy: string;
}

async function someOpen({ pool, worldOf }: Universe, world: World): Promise<OpenDispute | undefined> {
  const { rows } = await pool.query<OpenDispute>({
    name: 'simulation_open_disputes',
    text: `select id, task_id as task, status, respond_by as "respondBy" from disputes
      where owner_id = any($1) and status <> 'resolved' order by created_at, id`,
    values: [world.owners],
  });
  const known = rows.filter(({ task }) => worldOf.get(task) === world);
  return known.length > 0 ? world.random.of(known) : undefined;
}

const ownerOf = (world: World, side: 0 | 1) => world.owners[side] as string;
const agentCaller = (world: World, agentId: string, side: 0 | 1) => ({
  kind: 'agent',
  agentId,
  ownerId: ownerOf(world, side),
});

const buyerOf = (world: World, { buyer, submitter }: SimulatedTask) =>
  submitter !== null && world.random.yes(0.5) ? agentCaller(world, submitter, buyer) : callerOf(ownerOf(world, buyer));
const sellerOf = (world: World, { agent, buyer }: SimulatedTask) => {
  const side = buyer === 0 ? 1 : 0;
  return world.random.yes(0.5) ? agentCaller(world, agent, side) : callerOf(ownerOf(world, side));
};

const known = (world: World, id: string) => world.tasks.find((task) => task.id === id) as SimulatedTask;

/** What must become of it when the buyer disputes a task now. */
function refusalsOfDispute(universe: Universe, task: SimulatedTask): string[] {
  if (task.isDisputed) return ['DUPLICATE'];
  if (!task.passed || task.refunded || task.finishedAt === undefined) return ['TASK_WRONG_STATE'];
  const age = now(universe) - task.finishedAt;
  if (age <= courtTimes.REFUND_WINDOW_MS) return ['TASK_WRONG_STATE'];
  return age > courtTimes.DISPUTE_WINDOW_MS ? ['DISPUTE_DEADLINE_PASSED'] : [];
}

const evidence = [{ label: 'excerpt', text: 'what was delivered' }];
const proof = { checks: [{ name: 'it holds', command: 'true' }] };
/** Some statements bring a proof, which the simulated gate runs. */
const proving = ({ random }: World) => (random.yes(0.4) ? { proof } : {});

async function dispute(universe: Universe, world: World): Promise<void> {
  const { random } = world;
  const disputable = world.tasks.filter((task) => refusalsOfDispute(universe, task).length === 0);
  const task = random.yes(0.85) && disputable.length > 0 ? random.of(disputable.slice(-12)) : random.of(world.tasks);
  const isSeller = random.yes(0.05);
  const call = {
    caller: isSeller ? sellerOf(world, task) : buyerOf(world, task),
    params: { taskId: toId('task', task.id) },
    body: { reason: 'It is not what I asked for', evidence, ...proving(world) },
  };
  const rule = (_: unknown, input: never) => fileDispute({ clock: universe.clock, config: courtConfig }, input);
  world.touched.add(task.id);
  const answer = await attempt(universe, world, rule as Rule<never>, call, 'ledger');
  const refusals = isSeller ? ['NOT_A_PARTY'] : refusalsOfDispute(universe, task);
  expectAnswer(
    answer,
    `a dispute about ${task.id}`,
    refusals.length > 0 ? refusals : ['taken', 'DISPUTE_LIMIT_REACHED', 'INPUT_EXPIRED'],
  );
  // The process may have died after it was stored.
  if (answer.ended === 'died') {
    const { rowCount } = await universe.pool.query('select from disputes where task_id = $1', [task.id]);
    task.isDisputed ||= rowCount === 1;
  } else task.isDisputed ||= answer.ended === 'answered';
}

/** The seller answers, in time or late, or adds to what it said. */
async function answerDispute(universe: Universe, world: World): Promise<void> {
  const open = await someOpen(universe, world);
  if (!open) return;
  const call = {
    caller: sellerOf(world, known(world, open.task)),
    params: { disputeId: toId('dispute', open.id) },
    body: { response: 'It is all there', evidence: [], ...proving(world) },
  };
  const isLate = open.status === 'filed' && now(universe) > Date.parse(open.respondBy);
  const rule = (_: unknown, input: never) => respond({ config: courtConfig, clock: universe.clock }, input);
  const answer = await attempt(universe, world, rule as Rule<never>, call, 'write');
  expectAnswer(
    answer,
    `an answer to ${open.id}`,
    isLate ? ['DISPUTE_DEADLINE_PASSED'] : ['taken', 'WRONG_STATE', 'INPUT_EXPIRED'],
  );
}

async function addToDispute(universe: Universe, world: World): Promise<void> {
  const open = await someOpen(universe, world);
  if (!open) return;
  const call = {
    caller: buyerOf(world, known(world, open.task)),
    params: { disputeId: toId('dispute', open.id) },
    body: { statement: 'And it is late', evidence, ...proving(world) },
  };
  const answer = await attempt(
    universe,
    world,
    ((_, input) => supplement({ clock: universe.clock }, input)) as Rule<never>,
    call,
    'write',
  );
  expectAnswer(answer, `more about ${open.id}`, ['taken', 'WRONG_STATE', 'INPUT_EXPIRED']);
}

/** The operator decides what is open, whether it has been answered or not. */
async function rule(universe: Universe, world: World): Promise<void> {
  const { random } = world;
  const open = await someOpen(universe, world);
  if (!open) return;
  const outcome: DisputeOutcome = random.of(['buyer_wins', 'buyer_wins', 'seller_wins', 'split', 'dismissed']);
  const share = outcome === 'split' ? 1 + random.below(99) : undefined;
  const call = {
    caller: { kind: 'operator' },
    params: { disputeId: toId('dispute', open.id) },
    body: { outcome, share, note: 'Decided' },
  };
  world.touched.add(open.task);
  const answer = await attempt(
    universe,
    world,
    ((_, input) => resolveDispute({ config: courtConfig }, input)) as Rule<never>,
    call,
    'ledger',
  );
  expectAnswer(answer, `a ruling on ${open.id}`, []);
  if (answer.ended === 'answered' && outcome === 'buyer_wins') world.acknowledged.set(open.task, 'refunded');
}

/** What must become of it when the seller appeals the verdict on a task now. */
function refusalsOfAppeal(universe: Universe, task: SimulatedTask): string[] {
  if (task.isAppealed) return ['DUPLICATE'];
  if (task.passed || task.finishedAt === undefined) return ['TASK_WRONG_STATE'];
  return now(universe) - task.finishedAt > courtTimes.APPEAL_WINDOW_MS ? ['DISPUTE_DEADLINE_PASSED'] : [];
}

async function appeal(universe: Universe, world: World): Promise<void> {
  const { random } = world;
  const judged = world.tasks.filter(({ verdict }) => verdict !== undefined);
  const open = judged.filter((task) => refusalsOfAppeal(universe, task).length === 0);
  const task = random.yes(0.9) && open.length > 0 ? random.of(open.slice(-6)) : judged.at(-1);
  if (!task) return;
  const isBuyer = random.yes(0.05);
  const call = {
    caller: isBuyer ? buyerOf(world, task) : sellerOf(world, task),
    params: { assessmentId: toId('assessment', task.verdict as string) },
    body: random.yes(0.5) ? { reason: 'It was slow that day' } : undefined,
  };
  const appealing = (_: unknown, input: never) => appealAssessment({ config: courtConfig }, input);
  const answer = await attempt(universe, world, appealing as Rule<never>, call, 'write');
  expectAnswer(answer, `an appeal about ${task.id}`, isBuyer ? ['NOT_A_PARTY'] : refusalsOfAppeal(universe, task));
  if (answer.ended === 'died') {
    const { rowCount } = await universe.pool.query('select from appeals where assessment_id = $1', [task.verdict]);
    task.isAppealed ||= rowCount === 1;
  } else task.isAppealed ||= answer.ended === 'answered';
}

/** What buyers, sellers and the operator do in the courts; silence is that nobody does it. */
export const courtActions: Record<string, Action> = { dispute, answerDispute, addToDispute, rule, appeal };
