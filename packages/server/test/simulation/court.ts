import type { JudgeOpinion } from '@agora-market/contract';
import { sweepAppeals } from '../../src/disputes/appeals/decide.ts';
import type { DisputeDeps } from '../../src/disputes/deps.ts';
import { sweepProofs } from '../../src/disputes/proofs.ts';
import type { Runs } from '../../src/disputes/runs.ts';
import { sweepDisputes } from '../../src/disputes/sweep.ts';
import type { GateRunner } from '../../src/tasks/index.ts';
import { nobody, quiet } from '../steps/world.ts';
import { fate } from './chance.ts';
import { Crash, mortalPool } from './mortal.ts';
import type { Universe } from './world.ts';

/** Days become minutes, or a simulation would see the end of no dispute. */
export const courtTimes = {
  REFUND_WINDOW_MS: 600_000,
  DISPUTE_WINDOW_MS: 7_200_000,
  DISPUTE_RESPONSE_MS: 600_000,
  DISPUTE_DECISION_MS: 1_800_000,
  APPEAL_WINDOW_MS: 3_600_000,
  DELIVERY_WAIT_MS: 1_800_000,
};
export const courtConfig = courtTimes as DisputeDeps['config'];

const taskOf = ({ worldOf }: Universe, id: string) => {
  const world = worldOf.get(id);
  const ordinal = world?.tasks.findIndex((task) => task.id === id) ?? -1;
  return world && ordinal >= 0 ? { world, ordinal, task: world.tasks[ordinal] } : null;
};

/** A gate that fails for a reason of its own, finds nothing to look at any more, or sees the delivery in another light. */
const gateOf =
  (universe: Universe): GateRunner['again'] =>
  async (taskId) => {
    const found = taskOf(universe, taskId);
    if (!found?.task) throw new Error(`nobody knows the task ${taskId}`);
    const { world, ordinal, task } = found;
    task.looks += 1;
    const luck = fate(world.seed, ordinal, 'gate', task.looks);
    if (luck < 0.2 && !universe.processor.isCalm) throw new Error('simulated gate: it cannot run');
    if (luck < 0.4) return null;
    const score = [20, 49, 50, 60, 70, 71, 87][Math.floor(luck * 1_000) % 7] as number;
    // A judge may have read what both sides say.
    const judge = luck > 0.7 ? ({ status: 'judged' } as JudgeOpinion) : null;
    return { verdict: { score, passed: score >= 50, isMeasured: true, criteria: [], judge }, book: () => undefined };
  };

/** Proofs that hold on one, on both or on neither, or cannot be run. */
const proverOf =
  (universe: Universe): GateRunner['prove'] =>
  async (taskId) => {
    const found = taskOf(universe, taskId);
    if (!found?.task) throw new Error(`nobody knows the task ${taskId}`);
    const { world, ordinal, task } = found;
    task.looks += 1;
    const luck = fate(world.seed, ordinal, 'proof', task.looks);
    if (luck < 0.1 && !universe.processor.isCalm) throw new Error('simulated gate: it cannot run');
    if (luck < 0.2) return null;
    const ran = (passed: boolean) => [{ passed, exitCode: passed ? 0 : 1 }] as never;
    const onInput = ran(luck < 0.6);
    return luck > 0.95
      ? { onInput, onDelivery: null }
      : { onInput, onDelivery: ran(Math.floor(luck * 1_000) % 2 === 0) };
  };

/** All that is due, one after the other, so that worlds stay apart and a seed leads to the same again. */
const oneByOne: Runs = {
  room: () => 10_000,
  ids: () => [],
  async begin(works) {
    for (const { run } of [...works].sort((a, b) => (a.id < b.id ? -1 : 1))) await run();
  },
  idle: async () => {},
};

/** Between which statements of the courts' sweep a process may die. Each is about a task. */
const mortalStatements = new Set([
  'courts_lock_task',
  'vault_disputed_earnings',
  'vault_transfer',
  'vault_thaw_earnings',
  'courts_charge_less',
  'courts_insert_assessment',
  'dispute_proofs_ran',
  'disputes_proof_by',
]);

/** What time makes happen in the courts. What dies in the middle is left to a later sweep. */
export async function sweepCourts(universe: Universe, nth: number): Promise<void> {
  const pool = mortalPool(universe.pool, {
    before({ name = '', values }) {
      if (universe.processor.isCalm || !mortalStatements.has(name)) return;
      const about = values.flat().find((value) => universe.worldOf.has(value as string)) as string | undefined;
      const found = about === undefined ? null : taskOf(universe, about);
      if (found && fate(found.world.seed, found.ordinal, nth, name) < 0.05) throw new Crash('the process died');
    },
  });
  const deps: DisputeDeps = {
    pool,
    clock: universe.clock,
    config: courtConfig,
    log: quiet,
    judge: null,
    gate: { again: gateOf(universe), prove: proverOf(universe) },
    hosts: { id: nobody, store: nobody } as DisputeDeps['hosts'],
    stopping: new AbortController().signal,
  };
  await sweepProofs(deps, oneByOne);
  await sweepDisputes(deps, oneByOne);
  await sweepAppeals(deps, oneByOne);
}
