import type { Proof } from '@agora-market/contract';
import { mostNamed } from '../runs/compare.ts';
import { type CheckSandbox, inCheckSandbox, mergedFiles, untouched } from '../sandboxes/check-sandbox.ts';
import type { Tampered, TwinsTold } from '../twins/compare.ts';
import type { Planting } from '../twins/plant.ts';
import { type Ran, type Remaining, reportOf } from './ran.ts';
import type { TwoRuns } from './two-runs.ts';

/** How strong the proof is that tests which pass do pass, and why no stronger; or which tests do so by a trick. */
export type Proved = { proof: Proof; why?: string } | { tampered: string[] };

type Run = (setup: CheckSandbox) => Promise<Ran>;

const unproved = (why: string): Proved => ({ proof: 'exit_code', why });

export const noReport = 'its runner reported no tests to the gate';

/** The gate's words on a pass that nothing but an exit code proves. */
export const saidOfProof = ({ why }: { why?: string }) =>
  why === undefined
    ? ''
    : ` Only its exit code proves this, because ${why}: work that it runs without \`delivered\` may have made it succeed.`;

/** A run that is not sure to end in time is not begun, so that a proof never takes the time of another measure. */
const hasTime = ({ now }: TwoRuns, remaining: Remaining) => 'result' in now && remaining() > 2 * now.result.durationMs;
const noTime = unproved('no time was left to run its tests under other names');

/** `isLost`: its twin did not run. */
type Suspect = Tampered & { isLost: boolean };

const mustFail = 'a test of the gate that must fail';
const named = ({ file, name, isLost }: Suspect) =>
  `${file} > ${isLost ? 'its tests under other names' : name === '' ? mustFail : name}`;

async function told(runs: TwoRuns, { twins }: Planting, ran: Ran): Promise<TwinsTold | null> {
  const [before, now, planted] = [reportOf(runs.before), reportOf(runs.now), reportOf(ran)];
  if (before === null || now === null || planted === null) return null;
  return runs.over.reader.read('compareTwins', { before, now, planted, twins, wishes: runs.asked.wishes });
}

/** Files whose twins did not run count as tampered with where they run over the buyer's untouched files. */
const suspects = ({ tampered, lost }: TwinsTold): Suspect[] => [
  ...tampered.map((each) => ({ ...each, isLost: false })),
  ...lost.map((file) => ({ file, name: '', isLost: true })),
];

/** What is seen twice over the delivery and not over the buyer's untouched files. */
async function confirmed(
  runs: TwoRuns,
  planting: Planting,
  seen: readonly Suspect[],
  run: Run,
  remaining: Remaining,
): Promise<string[]> {
  // A run that ended without its report, on a busy machine for example, has not shown that nothing is there.
  const toldOf = async (of: TwoRuns, setup: CheckSandbox) =>
    (await told(of, planting, await run(setup))) ??
    (hasTime(of, remaining) ? told(of, planting, await run(setup)) : null);
  const over = { ...runs.over, planted: planting };
  // The buyer's own tests may depend on their names, or pass whatever they assert.
  const original = { ...runs, now: runs.before };
  const before = await toldOf(original, untouched({ ...over, name: `${over.name} before` }));
  if (before === null) return [];
  // A test that could not be loaded before the work excuses no assertion that asserts nothing after it.
  const excused = (isLost: boolean) => suspects(before).filter((each) => !each.isLost || isLost);
  const isTheirOwn = ({ file, isLost }: Suspect) => excused(isLost).some((each) => each.file === file);
  const steady = new Set(before.steady);
  // Tests of which none passed before may hang on their names, for all that is known.
  const counting = seen.filter((each) => !isTheirOwn(each) && (each.name === '' || steady.has(each.file)));
  if (counting.length === 0) return [];
  const again = await toldOf(runs, { ...over, name: `${over.name} again` });
  const repeated = new Set(again === null ? [] : suspects(again).map(named));
  return counting
    .filter((each) => repeated.has(named(each)))
    .slice(0, mostNamed)
    .map(named);
}

/** What twins of the tests prove; null where the runner finds none under the names of these. */
async function byTwins(
  runs: TwoRuns,
  planting: Planting,
  inPlace: boolean,
  run: Run,
  remaining: Remaining,
): Promise<Proved | null> {
  const found = await told(runs, planting, await run({ ...runs.over, planted: planting }));
  // Whoever names its files finds no others, so only files in their own places are missed.
  if (found === null || (found.found === 0 && !inPlace)) return null;
  const seen = suspects(found);
  if (seen.length > 0) {
    if (!hasTime(runs, remaining)) return noTime;
    const tampered = await confirmed(runs, planting, seen, run, remaining);
    if (tampered.length > 0) return { tampered };
  }
  if (found.tampered.length > 0) return unproved('its tests hang on their names');
  if (found.found === 0) return null;
  return found.holds ? { proof: 'sentinels' } : unproved('not all of its tests passed under other names');
}

/** Tests that the order changes, as they ran. */
async function changedTests(over: CheckSandbox) {
  const { restoration } = over;
  if (restoration === null || restoration.removal === '') return [];
  const look = { ...over, name: 'a look', restoration: null, heldOut: [], extraFiles: [], runsNothing: true };
  return inCheckSandbox(look, (sandbox) => mergedFiles(sandbox, over.reader, restoration));
}

/**
 * Asks a success how it came about. Where tests ran, they run once more over the delivery, as twins: under other names of
 * files and of tests, beside tests of the gate's own of which all but one must fail. Work that changes a runner or an
 * assertion, or that knows the tests by their names, ends otherwise there. `remaining`: for all of these runs.
 */
export async function prove(runs: TwoRuns, run: Run, remaining: Remaining): Promise<Proved> {
  const { over, now, asked } = runs;
  // A program that the buyer's measure starts apart cannot reach it; beside tests, those must hold as well.
  const calls = 'result' in now ? now.calls : 0;
  const apart = { proof: over.heldOut.length > 0 ? 'held_out' : 'apart' } as const;
  const report = reportOf(now);
  const hasTests = report !== null && (await over.reader.read('tally', report)) !== null;
  if (calls > 0 && !hasTests) return apart;
  if (!over.delivered) return unproved('no workspace was delivered');
  if (!hasTests) return unproved(noReport);
  if (asked.taskType === 'testing') return unproved('the tests are the work');
  const changed = await changedTests(over);
  // A command that names its files finds no others.
  for (const inPlace of [false, true]) {
    const planting = await over.reader.read('plant', { now: report, inPlace, wishes: asked.wishes, changed });
    if (planting.twins.length === 0) return unproved('the gate has no twins of its tests');
    if (!hasTime(runs, remaining)) return noTime;
    const name = `${over.name} as ${inPlace ? 'twins in place' : 'twins'}`;
    const proved = await byTwins({ ...runs, over: { ...over, name } }, planting, inPlace, run, remaining);
    if (proved !== null) return calls > 0 && 'proof' in proved && proved.proof === 'sentinels' ? apart : proved;
  }
  return unproved('its runner did not find its tests under other names');
}
