import type { SandboxFile } from '../../sandbox/index.ts';
import type { TextFile } from '../defects/choose.ts';
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
/** Of these, tests that are worth something notice so many. */
const leastShare = 0.25;
/** Defects that are tried, for the buyer's tests may notice some. */
const mostTried = 20;
const maxTexts = 40;
/** What a run may take beyond three times the delivery's; one that a busy machine stops says nothing. */
const slackMs = 5_000;

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
  /** They fail over the buyer's own work. */
  | { ofText: Ran }
  /** `noticed` of `open` defects; null where it cannot be told, and why. */
  | { noticed: number; open: number }
  | { why: string };

/** The changed programs. */
async function changedTexts({ over, delivered }: Source): Promise<Map<string, string>> {
  const paths = (delivered?.changed ?? []).filter((path) => familyOf(path) !== null).slice(0, maxTexts);
  const look = { ...over, name: 'a look', restoration: null, heldOut: [], extraFiles: [], runsNothing: true };
  return inCheckSandbox(look, async (sandbox) => {
    const found = new Map<string, string>();
    for (const path of paths) {
      const text = await readText(sandbox, path);
      if (text !== null) found.set(path, text);
    }
    return found;
  });
}

/** Files that a run names as tests. */
async function testsOf({ over }: Source, ran: Ran | null): Promise<string[]> {
  const report = ran && reportOf(ran);
  return report === null ? [] : over.reader.read('testFiles', report);
}

/** Whether the tests pass; null where they did not come to their end, which may be the machine's fault. */
const passes = (ran: Ran) => ('result' in ran && !ran.result.timedOut ? succeeded(ran) : null);

/** Runs delivered tests over the buyer's work with defects, one after the other. */
export async function foundDefects(source: Source): Promise<FoundDefects> {
  const { plan, over, now, before, remaining, run } = source;
  const texts = await changedTexts(source);
  const tests = [...(await testsOf(source, before)), ...(await testsOf(source, now))];
  const { defects, files } = await plan.defects({
    texts: [plan.asked.description, ...texts.values()],
    tests,
    most: mostTried,
  });
  const durationMs = 'result' in now ? now.result.durationMs : 0;
  const capMs = slackMs + 3 * durationMs;
  const hasTime = () => remaining() > 2 * (slackMs + durationMs);
  if (defects.length === 0) return { noticed: 0, open: 0 };
  if (!hasTime()) return { why: 'no time was left to try defects' };
  /** The buyer's content, beside the tests that the delivery has in the same file. */
  const fileOf = async ({ path, text }: TextFile): Promise<SandboxFile> => {
    const delivered = texts.get(path);
    const beside =
      delivered === undefined || !path.endsWith('.rs')
        ? text
        : await over.reader.read('besideTests', { path, text, delivered });
    return { path, content: Buffer.from(beside) };
  };
  const isWork = (path: string) => !tests.includes(path) && !isTestFile(path);
  const changed = plan.work([...texts.keys()].filter(isWork));
  // Where no runner names its tests, they may stand in files of any name.
  if (tests.length === 0 && changed.length > 0 && changed.length === texts.size)
    return { why: 'the gate cannot tell them from what they test' };
  const work = await Promise.all(changed.map(({ path, content }) => fileOf({ path, text: content.toString('utf8') })));
  /** The delivery with the buyer's work, but for these files. */
  const withWork = async (name: string, written: readonly TextFile[]): Promise<Ran> => {
    const extraFiles = [...over.extraFiles, ...work, ...(await Promise.all(written.map(fileOf)))];
    return run({ ...over, name: `${over.name} ${name}`, extraFiles }, capMs);
  };
  const { remarked, rewritten } = await over.reader.read('rewritten', files);
  const withRemark = await withWork('with a remark more', remarked);
  if (passes(withRemark) === false) return { ofText: withRemark };
  const passesRewritten = passes(await withWork('written otherwise', rewritten));
  if (passesRewritten === null) return { why: 'they did not end in time over your files written otherwise' };
  if (!passesRewritten) return { why: 'they hang on how your files are written, and not on what these do' };
  let [noticed, open] = [0, 0];
  for (const [nth, defect] of defects.entries()) {
    if (open === wanted || !hasTime()) break;
    if (before !== null && succeeded(before)) {
      const own = untouched({ ...over, name: `${over.name} with defect ${nth}` });
      const file = { path: defect.path, content: Buffer.from(defect.text) };
      // The buyer's tests notice it by themselves.
      if (!passes(await run({ ...own, extraFiles: [...own.extraFiles, file] }, capMs))) continue;
    }
    const isUnnoticed = passes(await withWork(`with defect ${nth}`, [defect]));
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
  const share = noticed / open;
  if (share < leastShare) return { score: open < fewest ? null : (40 * share) / leastShare, why };
  return { score: 50 + 50 * share, why };
}
