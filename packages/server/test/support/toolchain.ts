import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toolchainFile, treeName } from '@agora-market/server/sandbox';

/** Adds a toolchain to a directory of SANDBOX_TOOLS; its program says its version, and tells a variable. Returns its place. */
export async function makeTool(
  directory: string,
  name: string,
  version: string,
  addedAt = '2020-01-01T00:00:00.000Z',
): Promise<string> {
  const place = join(directory, `${name}@${version}`);
  await mkdir(join(place, treeName, 'bin'), { recursive: true });
  const program = join(place, treeName, 'bin', name);
  await writeFile(program, `#!/bin/sh\necho "${name} ${version} $TELLS"\n`);
  await chmod(program, 0o755);
  const record = { name, version, programs: ['bin'], variables: { TELLS: '{}/home' }, from: 'a test', addedAt };
  await writeFile(join(place, toolchainFile), JSON.stringify(record));
  return place;
}
