import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agora, Task } from '@agora/sdk';
import { withServer } from '../connection.ts';
import { UsageError } from '../failure.ts';
import type { ServerOptions } from '../options.ts';
import { print, safeLine, table } from '../print.ts';
import { writeChecked } from './delivery.ts';

export interface ApplyOptions extends ServerOptions {
  dryRun?: boolean;
  /** Merges where the clone is at another commit, and leaves conflicts in it. */
  '3way'?: boolean;
}

type Changes = Awaited<ReturnType<Agora['tasks']['changes']>>;

/**
 * Applies the change of a task to the working tree with Git, which refuses paths outside of it. A tree with changes of its
 * own is refused, so that Git can tell what came and take it back.
 */
export const applyCommand = (taskId: string, options: ApplyOptions): Promise<void> => {
  const tree = workingTree();
  return withServer(options, async (agora) => {
    const [task, changes] = await Promise.all([
      agora.tasks.get(taskId),
      agora.tasks.changes(taskId, { pageSize: 100 }),
    ]);
    const { dropped } = changes.patch;
    if (dropped !== null) throw new Error(`The server has no patch: ${dropped.replaceAll('_', ' ')}.`);
    if (!options['3way'] && !options.dryRun) checkClean(tree);
    await applyPatch(agora, task, changes, tree, options);
    print(options, { taskId: task.id, applied: !options.dryRun, ...changes }, () => summary(changes, options));
  });
};

interface Tree {
  root: string;
  /** Of the current directory in it; empty at the root. */
  prefix: string;
}

function workingTree(): Tree {
  const here = process.cwd();
  const { status, stdout, stderr } = git(here, ['rev-parse', '--is-inside-work-tree', '--show-prefix']);
  const [isInside, prefix = ''] = stdout.split('\n');
  if (status === 0 && isInside === 'true') {
    return { root: git(here, ['rev-parse', '--show-toplevel']).stdout.replace(/\n$/, ''), prefix };
  }
  const why = status === 0 ? 'it is a directory of Git’s own' : safeLine(stderr.trim(), 200);
  throw new UsageError(`Go to a working tree of Git, so that the change can be taken back. Here there is none: ${why}`);
}

function checkClean({ root }: Tree): void {
  const { status, stdout } = git(root, ['status', '--porcelain', '--untracked-files=no']);
  if (status !== 0 || stdout === '') return;
  throw new UsageError('The working tree has changes of its own. Commit or stash them first.');
}

async function applyPatch(agora: Agora, { id, input }: Task, { patch }: Changes, tree: Tree, options: ApplyOptions) {
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

/** Git names each file that it merges. */
const maxOutputBytes = 64 * 1024 ** 2;

function git(cwd: string, args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { error, status, stdout, stderr } = spawnSync('git', args, {
    ...{ cwd, encoding: 'utf8', maxBuffer: maxOutputBytes },
    env: { ...process.env, LC_ALL: 'C' },
  });
  if (error === undefined) return { status, stdout, stderr };
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new UsageError('Install Git: it applies the patch.');
  throw error;
}

function summary({ data, total }: Changes, { dryRun }: ApplyOptions): string {
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
