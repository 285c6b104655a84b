import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agora, Task } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import { UsageError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { print, safeLine, table } from '../print.ts';
import { writeChecked } from './delivery.ts';
import { git, isDirty, type Tree, workingTree } from './working-tree.ts';

export interface ApplyOptions extends ServerOptions {
  dryRun?: boolean;
  /** Merges where the clone is at another commit, and leaves conflicts in it. */
  '3way'?: boolean;
}

export type Changes = Awaited<ReturnType<Agora['tasks']['changes']>>;

/** Applies the change of a task to the working tree around the current directory. */
export const applyCommand = (taskId: string, options: ApplyOptions): Promise<void> => {
  const tree = workingTree(', so that the change can be taken back');
  return withServer(options, async (agora) => {
    const task = await agora.tasks.get(taskId);
    const changes = await applyChanges(agora, task, tree, { ...options, overChanges: options['3way'] ?? false });
    print(options, { taskId: task.id, applied: !options.dryRun, ...changes }, () => changesText(changes, options));
  });
};

/**
 * Applies the change of a task with Git, which refuses paths outside of the tree. A tree with changes of its own is
 * refused unless that is said, so that Git can tell what came and take it back.
 */
export async function applyChanges(
  agora: Agora,
  task: Task,
  tree: Tree,
  options: Pick<ApplyOptions, 'dryRun' | '3way'> & { overChanges: boolean },
): Promise<Changes> {
  const changes = await agora.tasks.changes(task.id, { pageSize: 100 });
  const { dropped } = changes.patch;
  if (dropped !== null) throw new Error(`The server has no patch: ${dropped.replaceAll('_', ' ')}.`);
  if (!options.overChanges && !options.dryRun) checkClean(tree);
  // Git takes an empty patch for a mistake.
  if (changes.total.files > 0) await applyPatch(agora, task, changes, tree, options);
  return changes;
}

function checkClean(tree: Tree): void {
  if (!isDirty(tree)) return;
  throw new UsageError('The working tree has changes of its own. Commit or stash them first.');
}

async function applyPatch(
  agora: Agora,
  { id, input }: Task,
  { patch }: Changes,
  tree: Tree,
  options: Pick<ApplyOptions, 'dryRun' | '3way'>,
) {
  const { root, prefix } = tree;
  const directory = await mkdtemp(join(tmpdir(), 'agora-patch-'));
  try {
    const file = join(directory, 'changes.patch');
    await writeChecked(await agora.tasks.patch(id), patch, file);
    // Of a repository the patch counts from its root, of other files from where they were sent from.
    const below = input.repo === undefined && prefix !== '' ? [`--directory=${prefix}`] : [];
    const how = options.dryRun ? ['--check'] : options['3way'] ? ['--3way'] : [];
    const { status, stderr } = git(root, ['apply', '--whitespace=nowarn', ...below, ...how, file]);
    if (status === 0) return;
    const conflicts = options['3way'] ? git(root, ['diff', '--name-only', '--diff-filter=U']).stdout.trim() : '';
    if (conflicts !== '') {
      throw new Error(`The change is merged, with conflicts for you to resolve:\n${safeLines(conflicts)}`);
    }
    const hint = options['3way'] ? '' : ' Check out the commit that the task began with, or use --3way.';
    throw new Error(`Git does not apply the patch: ${safeLine(stderr.trim(), 2_000)}.${hint}`);
  } finally {
    await rm(directory, { recursive: true });
  }
}

const safeLines = (text: string) =>
  text
    .split('\n')
    .map((line) => safeLine(line, 200))
    .join('\n');

/** What changed, for people. */
export function changesText({ data, total }: Changes, { dryRun }: Pick<ApplyOptions, 'dryRun'> = {}): string {
  const rows = data.map(({ path, from, change, mode, lines }) => [
    change,
    mode.after === '100755' && mode.before !== mode.after ? 'executable' : mode.after === '120000' ? 'link' : '',
    safeLine(from === null ? path : `${from} → ${path}`, 100),
    lines === null ? 'binary' : `+${lines.added} −${lines.removed}`,
  ]);
  const more = total.files > data.length ? `\n… and ${total.files - data.length} more` : '';
  const verb = dryRun ? 'would change' : 'changed';
  return `${table(['change', '', 'file', 'lines'], rows)}${more}\n${total.files} files ${verb}, +${total.added} −${total.removed} lines.`;
}
