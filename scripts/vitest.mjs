import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './setup.mjs';

/** Runs Vitest to its end, and gives its exit code. */
export function runVitest(args, env = {}) {
  const { status } = spawnSync(process.execPath, [join('node_modules', 'vitest', 'vitest.mjs'), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  return status ?? 1;
}
