import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { presetNames, presets } from '../worker/command/presets.ts';
import { type Check, ok } from './finding.ts';

const versionMs = 10_000;

/** The coding agents that `agora worker --preset` can start here. A server needs none of them. */
export const checkPresets = (): Check => ({
  name: 'presets',
  async run() {
    const found = await Promise.all(presetNames.map(async (name) => [name, await versionOf(presets[name].program)]));
    const there = found.flatMap(([name, version]) => (version === null ? [] : `${name} (${version})`));
    const missing = found.flatMap(([name, version]) => (version === null ? (name as string) : []));
    const list = [there.join(', ') || 'none', missing.length > 0 && `not here: ${missing.join(', ')}`];
    return ok(`for agora worker: ${list.filter(Boolean).join('; ')}`);
  },
});

/** What a program says of its version; null where it is not there. */
async function versionOf(program: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: versionMs });
    return /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? 'of an unknown version';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'does not tell its version';
  }
}
