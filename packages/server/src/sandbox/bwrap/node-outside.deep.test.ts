import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromSources } from '../../../test/support/from-sources.ts';
import { findProgram } from './host-files.ts';

/** Machines whose only Node lies in a home directory, as nvm, fnm and volta put it there. */

const program = fileURLToPath(new URL('../../../test/support/sandbox/node-outside-program.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;
/** As root in a mount namespace; as an ordinary user in a user namespace as well, which maps that user to itself. */
const enter = isRoot ? ['--mount'] : ['--user', '--map-current-user', '--mount', '--keep-caps'];
/** Hides the Node of the system, then runs what follows without the privileges that hiding took. */
const hideAndRun = `for node in /usr/local/bin/node /usr/bin/node; do
  if [ -e "$node" ]; then mount --bind /dev/null "$(realpath "$node")" || exit 99; fi
done
exec setpriv --inh-caps=-all --ambient-caps=-all "$@"`;

let home: string;
let node: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agora-home-'));
  const version = join(home, '.nvm/versions/node', process.version);
  node = join(version, 'bin/node');
  await mkdir(join(version, 'bin'), { recursive: true });
  await cp(process.execPath, node);
  const npm = await realpath(findProgram(['/usr/local/bin/npm', '/usr/bin/npm', join(process.execPath, '../npm')])!);
  await cp(join(npm, '../..'), join(version, 'lib/node_modules/npm'), { recursive: true });
  await mkdir(join(version, 'etc'));
  for (const place of [home, version, join(version, 'etc'), join(version, 'lib/node_modules')])
    await writeFile(join(place, 'agora-secret'), 'hush');
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function inSandbox(command: string) {
  const id = `test-node-${process.pid}`;
  const run = [node, ...fromSources, program, id, command];
  const { stdout } = await promisify(execFile)('unshare', [...enter, 'sh', '-c', hideAndRun, 'sh', ...run]);
  return JSON.parse(stdout);
}

describe('Node outside /usr', () => {
  // 0700 is how many systems make homes: there a sandbox's user cannot get at the original.
  it.each([0o755, 0o700])(
    'is in the sandboxes, with npm and nothing beside it, from a home of mode %o',
    async (mode) => {
      await chmod(home, mode);
      const look = [
        'node -p "process.version"',
        'npm --version',
        'npx --version',
        'find / -not -path "/proc/*" \\( -name agora-secret -o -name .nvm \\) 2>/dev/null',
        'touch /opt/node/bin/x /opt/node/bin/node /opt/node/lib/node_modules/npm/x 2>/dev/null && echo writable',
        'true',
      ];
      const found = await inSandbox(look.join('\n'));
      expect(found).toMatchObject({ probe: { available: true, node: process.version }, exitCode: 0, stderr: '' });
      expect(found.stdout).toMatch(new RegExp(`^${process.version}\n\\d+\\.\\d+\\.\\d+\n\\d+\\.\\d+\\.\\d+\n$`));
    },
  );

  it('comes before the programs of the system', async () => {
    const { stdout } = await inSandbox('echo $PATH');
    expect(stdout).toMatch(/^\/opt\/node\/bin:\/usr\/local\/bin:/);
  });
});
