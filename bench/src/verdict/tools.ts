import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { NotHad, unpacked } from '@agora-market/examples/archives';
import type { Corpus } from './corpus.ts';

/** Sandboxes show `/usr` of the machine: for this process and what it starts, pinned tools lie over it. */

const done = 'AGORA_VERDICT_TOOLS';

async function toolsDirectory(corpus: Corpus, cache: string): Promise<string> {
  const directory = join(cache, `tools-${process.version}`);
  if (existsSync(directory)) return directory;
  const making = `${directory}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(join(making, 'usr', 'bin'), { recursive: true });
  for (const name of corpus.tools) {
    try {
      const from = await unpacked(cache, name, corpus.archives[name]!);
      cpSync(join(from, 'usr'), join(making, 'usr'), { recursive: true, verbatimSymlinks: true });
    } catch (error) {
      if (!(error instanceof NotHad)) throw error;
      console.error(error.message);
    }
  }
  for (const tool of ['go', 'gofmt']) symlinkSync(`../lib/go-1.19/bin/${tool}`, join(making, 'usr', 'bin', tool));
  copyFileSync(process.execPath, join(making, 'usr', 'bin', 'node'));
  renameSync(making, directory);
  return directory;
}

/**
 * Starts this program again with the tools, and gives its exit code; null where this is that process already, or the
 * machine does not let this user mount.
 */
export async function withTools(corpus: Corpus, cache: string): Promise<number | null> {
  if (process.env[done] !== undefined) return null;
  const tools = join(await toolsDirectory(corpus, cache), 'usr');
  const mount = `mount -t overlay overlay -o lowerdir=${tools}:/usr /usr`;
  try {
    execFileSync('unshare', ['--mount', 'sh', '-c', mount], { stdio: 'ignore' });
  } catch {
    console.error('This user cannot mount tools over /usr: projects whose tools are not installed are not had.');
    return null;
  }
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const { status } = spawnSync('unshare', ['--mount', 'sh', '-c', `${mount} && exec "$@"`, 'sh', ...again], {
    stdio: 'inherit',
    env: { ...process.env, [done]: '1' },
  });
  return status ?? 1;
}
