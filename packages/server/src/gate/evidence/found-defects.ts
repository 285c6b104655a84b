import type { SandboxFile } from '../../sandbox/index.ts';
import { familyOf } from '../defects/line-defects.ts';
import { isTestFile } from '../restore/restored-files.ts';
import { type CheckSandbox, inCheckSandbox, readText, untouched } from '../sandboxes/check-sandbox.ts';
import type { DeliveredFiles } from './changes.ts';
import { count } from './compared-runs.ts';
import type { Planned } from './planned.ts';
import { type Ran, type Remaining, reportOf, succeeded } from './ran.ts';

/** What delivered tests are worth: how many defects they notice that the buyer's own tests let pass. */

/** Defects that the buyer's tests let pass; fewer say nothing of tests that notice none. */
const wanted = 8;
const fewest = 4;
/** Defects that are tried, for the buyer's tests may notice some. */
const mostTried = 20;
const maxTexts = 40;

interface Source {
  plan: Planned;
  delivered: DeliveredFiles | null;
  remaining: Remaining;
  /** The delivery, and how the tests ran over it. */
  over: CheckSandbox;
  now: Ran;
  /** Over the untouched files; null where these declare no tests. */
  before: Ran | null;
  /** Within so many ms. */
  run(over: CheckSandbox, capMs: number): Promise<Ran>;
}

export type FoundDefects =
  /** They fail over the buyer's own work with a remark more. */
  | { ofText: Ran }
  /** `noticed` of `open` defects. */
  | { noticed: number; open: number };

/** What the changed files say: the names of the work that they test. */
async function changedTexts({ over, delivered }: Source): Promise<string[]> {
  const paths = (delivered?.changed ?? []).filter((path) => familyOf(path) !== null).slice(0, maxTexts);
  const look = { ...over, name: 'a look', restoration: null, heldOut: [], extraFiles: [], runsNothing: true };
  const texts = await inCheckSandbox(look, async (sandbox) => {
    const found: (string | null)[] = [];
    for (const path of paths) found.push(await readText(sandbox, path));
    return found;
  });
  return texts.filter((text) => text !== null);
}

/** Whether the tests pass; null where they did not come to their end, which may be the machine's fault. */
const passes = (ran: Ran) => ('result' in ran && !ran.result.timedOut ? succeeded(ran) : null);

const asFile = ({ path, text }: { path: string; text: string }): SandboxFile => ({ path, content: Buffer.from(text) });

/** Runs delivered tests over the buyer's work with defects, one after the other. */
export async function foundDefects(source: Source): Promise<FoundDefects> {
  const { plan, over, now, before, delivered, remaining, run } = source;
  const report = before && reportOf(before);
  const { defects, remarked } = await plan.defects({
    texts: [plan.asked.description, ...(await changedTexts(source))],
    tests: report === null ? [] : await over.reader.read('testFiles', report),
    most: mostTried,
  });
  const durationMs = 'result' in now ? now.result.durationMs : 0;
  const capMs = 2_000 + 3 * durationMs;
  const hasTime = () => remaining() > 2 * (2_000 + durationMs);
  const work = plan.work((delivered?.changed ?? []).filter((path) => familyOf(path) !== null && !isTestFile(path)));
  /** The delivery with the buyer's work, but for these files. */
  const withWork = (name: string, files: SandboxFile[]): CheckSandbox => ({
    ...over,
    name: `${over.name} ${name}`,
    extraFiles: [...over.extraFiles, ...work, ...files],
  });
  let [noticed, open] = [0, 0];
  if (defects.length === 0 || !hasTime()) return { noticed, open };
  const remark = await run(withWork('with a remark more', remarked.map(asFile)), capMs);
  const isSteady = passes(remark);
  if (isSteady === false) return { ofText: remark };
  if (isSteady === null) return { noticed, open };
  for (const [nth, defect] of defects.entries()) {
    if (open === wanted || !hasTime()) break;
    const file = asFile(defect);
    if (before !== null && succeeded(before)) {
      const own = untouched({ ...over, name: `${over.name} with defect ${nth}` });
      // The buyer's tests notice it by themselves.
      if (!passes(await run({ ...own, extraFiles: [...own.extraFiles, file] }, capMs))) continue;
    }
    const isUnnoticed = passes(await run(withWork(`with defect ${nth}`, [file]), capMs));
    if (isUnnoticed === null) continue;
    open += 1;
    if (!isUnnoticed) noticed += 1;
  }
  return { noticed, open };
}

/** The score of what was noticed, in the gate's words; null where too little was tried to tell. */
export function scoreOfDefects({ noticed, open }: { noticed: number; open: number }) {
  if (open === 0)
    return { score: null, why: 'the gate could make no defect in your files that your own tests let pass' };
  const why = `of ${count(open, 'defect')} of one line that the gate made in your files, and that your own tests let pass, they notice ${noticed}`;
  if (noticed === 0) return { score: open < fewest ? null : 0, why };
  return { score: 60 + (40 * noticed) / open, why };
}
