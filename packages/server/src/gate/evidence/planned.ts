import type { TaskType, TestWishes } from '@agora-market/contract';
import type { SandboxFile } from '../../sandbox/index.ts';
import type { ChosenDefects, DefectsJob } from '../defects/choose.ts';
import { lfsPointer } from '../lfs-pointer.ts';
import type { Reader } from '../reading/readers.ts';
import { type NumberedRestoration, type Plan, readings } from '../reading/readings.ts';
import { type Bins, binsOf } from '../restore/bins.ts';
import { normal, type Restoration } from '../restore/restored-files.ts';
import { inputDigest } from '../runs/baselines.ts';
import type { RunReport } from '../runs/reports.ts';
import type { Gathering } from '../source.ts';
import type { Ran } from './ran.ts';

/** What a gate run will run; known before anything is written. */
export interface Planned extends Pick<Plan, 'testCommand' | 'build' | 'lint' | 'namesDelivered'> {
  linter: Restoration | null;
  bins: Bins | null;
  /** What the buyer asks, for readings. */
  asked: { taskType: TaskType; commands: readonly string[]; description: string; wishes: TestWishes };
  /** Why packages that the buyer's files name are not there, as sentences. */
  lacking: readonly string[];
  hidden: string | null;
  /** The command of a name over the untouched files: as it ended before, or run now. */
  untouched(name: string, run: () => Promise<Ran>): Promise<Ran>;
  isKnown(name: string): boolean;
  /** The parts of the buyer's repository that nobody in a sandbox has, in words; null where it is whole. */
  missingParts: string | null;
  /** Defects in the buyer's work, the same for each run over a delivery. */
  defects(job: Omit<DefectsJob, 'seed'>): Promise<ChosenDefects>;
  /** Those of the paths that are the buyer's, as the buyer has them. */
  work(paths: readonly string[]): SandboxFile[];
  /** What is put back before a command runs over the delivery, by its run over the untouched files. */
  restorationFor(purpose: 'checks' | 'tests', before: RunReport | null): Promise<Restoration>;
}

/** Reads the buyer's files for it. Rejects with `Unreadable` where they are too much to be read. */
export async function planned({ source, acceptance, baselines, seed }: Gathering, reader: Reader): Promise<Planned> {
  const { task, originalFiles, originalLinks = [], heldOut = [], packages } = source;
  const { description } = task.input;
  const asked = {
    taskType: task.taskType,
    commands: acceptance.checks.map(({ command }) => command),
    description: typeof description === 'string' ? description : '',
    wishes: acceptance.tests,
  };
  // No thread is needed to read no file.
  const hasFiles = originalFiles.length + heldOut.length > 0;
  const plan = hasFiles ? await reader.read('plan', asked) : readings.plan([], asked);
  const laid: SandboxFile[] = originalFiles.map((file) => ({ ...file, path: normal(file.path) }));
  const filesOf = (numbers: Uint32Array) => Array.from(numbers, (number) => laid[number]!);
  const restorationOf = (found: NumberedRestoration): Restoration => {
    return { ...found, files: filesOf(found.files), merged: filesOf(found.merged) };
  };
  const digest = await inputDigest(source.originalArchive, heldOut, packages?.installation ?? null);
  return {
    ...plan,
    lacking: packages?.lacking ?? [],
    hidden: packages?.hidden ?? null,
    untouched: (name, run) => baselines.run(digest, name, run),
    missingParts: saidOfMissing(
      laid.filter(({ content }) => lfsPointer(content) !== null).length,
      source.emptySubmodules ?? 0,
    ),
    isKnown: (name) => baselines.isKnown(digest, name),
    defects: (job) => reader.read('defects', { ...job, seed }),
    work: (paths) => {
      const wanted = new Set(paths);
      return laid.filter(({ path }) => wanted.has(path));
    },
    linter: plan.linter && restorationOf(plan.linter),
    bins: binsOf(laid, originalLinks),
    asked,
    restorationFor: async (purpose, before) =>
      restorationOf(await reader.read('restorationFor', { ...asked, purpose, before })),
  };
}

function saidOfMissing(pointers: number, submodules: number): string | null {
  const parts: string[] = [];
  if (pointers === 1) parts.push('a file of the repository is a pointer of Git LFS without its content');
  if (pointers > 1) parts.push(`${pointers} files of the repository are pointers of Git LFS without their contents`);
  if (submodules === 1) parts.push('a submodule is an empty directory, because it could not be had');
  if (submodules > 1) parts.push(`${submodules} submodules are empty directories, because they could not be had`);
  return parts.length === 0 ? null : parts.join(', and ');
}
