import type { Proof } from '@agora/contract';
import { normal } from '../restore/restored-files.ts';
import { type CheckSandbox, untouched } from '../sandboxes/check-sandbox.ts';
import type { Tampered, TwinsTold } from '../twins/compare.ts';
import type { Planting } from '../twins/plant.ts';
import { type Ran, reportOf } from './ran.ts';
import type { TwoRuns } from './two-runs.ts';

/** How strong the proof is that tests which pass do pass, or which tests do so by a trick. */
export type Proved = { proof: Proof } | { tampered: string[] };

type Run = (setup: CheckSandbox) => Promise<Ran>;

const unproved: Proved = { proof: 'exit_code' };

const mustFail = 'a test of the gate that must fail';
const named = ({ file, name }: Tampered) => (name === '' ? `${file} > ${mustFail}` : `${file} > ${name}`);

async function told(runs: TwoRuns, { twins }: Planting, ran: Ran): Promise<TwinsTold | null> {
  const [before, now, planted] = [reportOf(runs.before), reportOf(runs.now), reportOf(ran)];
  if (before === null || now === null || planted === null) return null;
  return runs.over.reader.read('compareTwins', { before, now, planted, twins, wishes: runs.wishes });
}

/** What is seen twice over the delivery and not over the buyer's untouched files. */
async function confirmed(runs: TwoRuns, planting: Planting, seen: readonly Tampered[], run: Run): Promise<string[]> {
  const over = { ...runs.over, planted: planting };
  // The buyer's own tests may depend on their names, or pass whatever they assert.
  const original = { ...runs, now: runs.before };
  const before = await told(original, planting, await run(untouched({ ...over, name: `${over.name} before` })));
  const again = await told(runs, planting, await run({ ...over, name: `${over.name} again` }));
  if (before === null || again === null) return [];
  const theirOwn = new Set(before.tampered.map(({ file }) => file));
  const repeated = new Set(again.tampered.map(named));
  return seen.filter((each) => !theirOwn.has(each.file) && repeated.has(named(each))).map(named);
}

/**
 * Asks a success how it came about. If it called nothing of the delivery apart, the buyer's tests run once more, as twins: under other names of files and of tests, beside tests of
 * the gate's own of which all but one must fail. Work that changes a runner or an assertion, or that knows the tests by
 * their names, ends otherwise there.
 */
export async function prove(runs: TwoRuns, run: Run): Promise<Proved> {
  const { over } = runs;
  const isHidden = over.heldOut.length > 0;
  if ('result' in runs.now && runs.now.calls > 0) return { proof: isHidden ? 'held_out' : 'apart' };
  const now = reportOf(runs.now);
  if (!over.delivered || now === null) return unproved;
  // A command that names its files finds no others.
  for (const inPlace of [false, true]) {
    const planting = await over.reader.read('plant', { now, inPlace, wishes: runs.wishes });
    if (planting.twins.length === 0) return unproved;
    const name = `${over.name} as ${inPlace ? 'twins in place' : 'twins'}`;
    const found = await told(runs, planting, await run({ ...over, planted: planting, name }));
    if (found === null || found.found === 0) continue;
    if (found.tampered.length > 0) {
      const tampered = await confirmed({ ...runs, over: { ...over, name } }, planting, found.tampered, run);
      return tampered.length > 0 ? { tampered } : unproved;
    }
    if (!found.holds) return unproved;
    const hidden = new Set(over.heldOut.map(({ path }) => normal(path)));
    return { proof: found.held.some((file) => hidden.has(file)) ? 'held_out' : 'sentinels' };
  }
  return unproved;
}
