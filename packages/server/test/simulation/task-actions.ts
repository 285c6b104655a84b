import { type TaskStatus, toId } from '@agora-market/contract';
import { newUuid } from '../../src/platform/index.ts';
import {
  deliverStep,
  feedbackStep,
  finishStep,
  reassignStep,
  startStep,
  submitStep,
} from '../../src/tasks/steps/index.ts';
import { deliverItem, feedbackItem, finishItem, nobody, reassignItem, startItem, submitItem } from '../steps/world.ts';
import { bringBack } from './bring-back.ts';
import { recent } from './chance.ts';
import { rateOf, shareOf } from './fee.ts';
import { type Action, type SimulatedTask, type Universe, type World, write } from './world.ts';

const at = ({ clock }: Universe) => clock.now().toISOString();

const next: Partial<Record<TaskStatus, string>> = {
  submitted: 'start',
  routing: 'start',
  executing: 'finish',
  quality_check: 'finish',
};
const nextOf = ({ acknowledged }: World, { id, isQueued }: SimulatedTask) => {
  const status = acknowledged.get(id) ?? 'failed';
  return isQueued && status === 'submitted' ? 'assign' : next[status];
};

export const taskActions: Record<string, Action> = {
  submit(universe, world) {
    const { random } = world;
    const buyer = random.below(2) as 0 | 1;
    const maxBudget = random.of([1, 6, 99, 700, 1000, 1999]);
    const price = random.of([maxBudget, maxBudget, Math.floor(maxBudget / 3), 0]);
    const owner = world.owners[buyer] as string;
    const agent = random.of(world.agents[1 - buyer] as [string, string]);
    const id = newUuid(universe.clock);
    const isQueued = random.yes(0.15);
    const item = submitItem(owner, isQueued ? null : agent, {
      id,
      feeBps: rateOf(id),
      submitterAgentId: random.yes(0.3) ? random.of(world.agents[buyer] as [string, string]) : null,
      routed: !isQueued && random.yes(0.3),
      maxBudget,
      // What it may cost at most, while nobody has it.
      price: isQueued ? maxBudget : price,
      mostQueued: 3,
      at: at(universe),
    });
    universe.worldOf.set(item.id, world);
    return write(universe, world, submitStep, item, item.id, () => (item.routed ? 'routing' : 'submitted')).then(
      (outcome) => {
        const { submitterAgentId: submitter } = item;
        if (outcome?.outcome === 'ok')
          world.tasks.push({ id, buyer, submitter, agent, isQueued, maxBudget, price, looks: 0 });
      },
    );
  },
  /** What comes next for a task that is under way, as far as its parties know. */
  goOn(universe, world) {
    const task = recent(
      world,
      world.tasks.filter((task) => nextOf(world, task) !== undefined),
    );
    return task && taskActions[nextOf(world, task) as string]?.(universe, { ...world, tasks: [task] });
  },
  start(universe, world) {
    const task = recent(world, world.tasks);
    if (!task) return;
    const by = world.random.yes(0.95) ? task.agent : world.random.of(world.agents.flat());
    return write(universe, world, startStep, startItem(task.id, by, { at: at(universe) }), task.id, () => 'executing');
  },
  deliver(universe, world) {
    const task = recent(world, world.tasks);
    if (!task) return;
    const item = deliverItem(task.id, task.agent, { at: at(universe) });
    return write(universe, world, deliverStep, item, task.id, () => 'quality_check');
  },
  finish(universe, world) {
    const task = recent(world, world.tasks);
    if (!task) return;
    const verb = world.random.yes(0.82)
      ? 'pass'
      : world.random.of([
          'reject',
          'reject',
          'reject',
          'fail',
          'expire',
          'lackInput',
          'abandon',
          'decline',
          'cancel',
        ] as const);
    const judged = verb === 'pass' || verb === 'reject';
    const item = finishItem(task.id, verb, task.price, {
      ...shareOf(task.id, task.price),
      at: at(universe),
      agentId: verb === 'fail' || verb === 'decline' ? task.agent : null,
      // Half of what is judged is judged before it is stored.
      ...(judged &&
        world.random.yes(0.6) && {
          delivery: { host: nobody, output: { result: 'r' }, declaredScore: null, executionTimeMs: 1 },
        }),
    });
    return write(universe, world, finishStep, item, task.id, () => (verb === 'pass' ? 'completed' : 'failed')).then(
      (outcome) => {
        if (outcome?.outcome !== 'ok') return;
        task.finishedAt = universe.clock.now().getTime();
        task.passed = verb === 'pass';
        if (item.assessment) task.verdict = item.assessment.id;
      },
    );
  },
  feedback(universe, world) {
    const task = recent(world, world.tasks);
    if (!task) return;
    const item = feedbackItem(task.id, world.random.of(['up', 'down', 'down']), { at: at(universe) });
    return write(universe, world, feedbackStep, item, task.id, ({ refunded }) => (refunded ? 'refunded' : null)).then(
      (outcome) => {
        const isInTime = universe.clock.now().getTime() <= (task.finishedAt ?? 0) + item.refundWindowMs;
        const isOwed = item.direction === 'down' && outcome?.outcome === 'ok' && isInTime;
        task.refunded ||= outcome?.outcome === 'ok' && outcome.refunded;
        if (isOwed && !outcome.refunded) throw new Error(`${task.id} was not refunded inside the window`);
      },
    );
  },
  /** An agent does not want what was routed to it; somebody else may say so for it, which must not work. */
  async reassign(universe, world) {
    const { random } = world;
    const routing = world.tasks.filter(({ id }) => world.acknowledged.get(id) === 'routing');
    const task = random.yes(0.9) ? recent(world, routing) : recent(world, world.tasks);
    if (task) await passOn(universe, world, task, 'declined');
  },
  /** A task in the queue gets its agent; so may one that has left it, which must not work. */
  async assign(universe, world) {
    const { random } = world;
    const task = recent(
      world,
      world.tasks.filter(({ isQueued }) => isQueued || random.yes(0.05)),
    );
    if (!task) return;
    const { agent: to, maxBudget, id } = task;
    const price = random.of([maxBudget, Math.floor(maxBudget / 2)]);
    const item = reassignItem(id, null, to, {
      price,
      feeBps: rateOf(id),
      names: { from: null, to: toId('agent', to) },
      at: at(universe),
    });
    const outcome = await write(universe, world, reassignStep, item, id, () => 'routing');
    if (outcome?.outcome !== 'ok') return;
    if (!task.isQueued) throw new Error(`${id} had an agent and got another from the queue`);
    Object.assign(task, { isQueued: false, price });
  },
  reactivate({ pool, clock }, world) {
    return bringBack(pool, world.random.of(world.agents.flat()), clock.now());
  },
};

/** The other agent of the seller, which is the only one that may have a task next. */
const siblingOf = (world: World, { buyer, agent }: SimulatedTask): string =>
  (world.agents[1 - buyer] as [string, string]).find((each) => each !== agent) as string;

async function passOn(universe: Universe, world: World, task: SimulatedTask, because: 'declined'): Promise<void> {
  const { random } = world;
  const to = random.yes(0.9) ? siblingOf(world, task) : random.of(world.agents.flat());
  const from = random.yes(0.95) ? task.agent : random.of(world.agents.flat());
  const price = random.of([task.price, Math.floor(task.maxBudget / 2)]);
  const item = passItem(universe, task, { from, to, price, because });
  const outcome = await write(universe, world, reassignStep, item, task.id, () => 'routing');
  if (outcome?.outcome !== 'ok') return;
  if (from !== task.agent || to !== siblingOf(world, task)) throw new Error(`${task.id} went from ${from} to ${to}`);
  Object.assign(task, { agent: to, price });
}

const passItem = (
  universe: Universe,
  task: SimulatedTask,
  { from, to, price, because }: { from: string; to: string; price: number; because: 'declined' | 'not_accepted' },
) =>
  reassignItem(task.id, from, to, {
    because,
    price,
    feeBps: rateOf(task.id),
    names: { from: toId('agent', from), to: toId('agent', to) },
    at: at(universe),
  });

/** The time to accept has run out: true if the platform has found another agent for it. */
export async function passOnUnaccepted(universe: Universe, world: World, task: SimulatedTask): Promise<boolean> {
  const to = siblingOf(world, task);
  const item = passItem(universe, task, { from: task.agent, to, price: task.price, because: 'not_accepted' });
  world.touched.add(task.id);
  const { outcome } = await universe.writer.write(reassignStep, item);
  if (outcome === 'ok') task.agent = to;
  return outcome === 'ok';
}
