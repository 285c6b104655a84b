import type { SandboxFile } from '../../sandbox/index.ts';
import type { Reader } from '../reading/readers.ts';
import { type NumberedRestoration, type Plan, readings } from '../reading/readings.ts';
import { type Bins, binsOf } from '../restore/bins.ts';
import { normal, type Restoration } from '../restore/restored-files.ts';
import type { Gathering } from '../source.ts';

/** What a gate run will run and what it restores before; known before anything is written. */
export interface Planned extends Pick<Plan, 'testCommand' | 'build' | 'lint' | 'namesDelivered'> {
  /** For each check by its number. */
  checks: Restoration[];
  tests: Restoration;
  linter: Restoration | null;
  bins: Bins | null;
}

/** Reads the buyer's files for it. Rejects with `Unreadable` where they are too much to be read. */
export async function planned({ source, acceptance }: Gathering, reader: Reader): Promise<Planned> {
  const { task, originalFiles, originalLinks = [], heldOut = [] } = source;
  const { description } = task.input;
  const job = {
    taskType: task.taskType,
    commands: acceptance.checks.map(({ command }) => command),
    description: typeof description === 'string' ? description : '',
  };
  // No thread is needed to read no file.
  const plan = originalFiles.length + heldOut.length === 0 ? readings.plan([], job) : await reader.read('plan', job);
  const laid: SandboxFile[] = originalFiles.map((file) => ({ ...file, path: normal(file.path) }));
  const filesOf = (numbers: Uint32Array) => Array.from(numbers, (number) => laid[number]!);
  const restorationOf = (found: NumberedRestoration): Restoration => {
    return { ...found, files: filesOf(found.files), packages: filesOf(found.packages) };
  };
  return {
    ...plan,
    checks: plan.checks.map(restorationOf),
    tests: restorationOf(plan.tests),
    linter: plan.linter && restorationOf(plan.linter),
    bins: binsOf(laid, originalLinks),
  };
}
