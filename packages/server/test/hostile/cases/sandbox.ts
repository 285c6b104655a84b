import { expect } from 'vitest';
import { atOnce, type HostileCase, times } from '../hostile-case.ts';

/** What comes out of a sandbox: output of commands, files, listings. */

/** Each byte is a write of its own. */
const singleBytes = (bytes: number) => `i=0; while [ $i -lt ${bytes} ]; do printf x; printf y >&2; i=$((i+1)); done`;

/** Each input goes to this many sandboxes at once: a hired agent may have several, and there are several agents. */
const width = 4;

const inSandboxes = (
  place: string,
  input: string,
  set: string,
  use: (agora: Parameters<HostileCase['prepare']>[0]['pair']['agent']['agora'], id: string) => Promise<unknown>,
): HostileCase => ({
  place,
  input: `${input}, ${width} sandboxes at once`,
  prepare: async ({ task, pair }) => {
    const { agora } = pair.agent;
    const ids: string[] = [];
    for (const _ of times(width)) ids.push(await task());
    await atOnce(ids, width, async (id) => {
      expect((await agora.sandbox.exec(id, { command: set })).data).toMatchObject({ exitCode: 0 });
    });
    return () => atOnce(ids, width, (id) => use(agora, id));
  },
});

export const sandboxCases: HostileCase[] = [
  inSandboxes('sandbox: output of a command', 'a megabyte of zero bytes on each stream', 'true', (agora, id) =>
    agora.sandbox.exec(id, { command: 'head -c 1048576 /dev/zero; head -c 1048576 /dev/zero >&2' }),
  ),
  inSandboxes(
    'sandbox: output of a command',
    '128 KiB in writes of single bytes, five commands each',
    'true',
    (agora, id) => atOnce(times(5), 5, () => agora.sandbox.exec(id, { command: singleBytes(65_536) })),
  ),
  inSandboxes('sandbox: output of a command', 'a megabyte that is no UTF-8', 'true', (agora, id) =>
    agora.sandbox.exec(id, { command: "head -c 1048576 /dev/zero | tr '\\0' '\\377'" }),
  ),
  inSandboxes(
    'sandbox: files',
    'a file of a megabyte that is no UTF-8, read',
    'head -c 1048576 /dev/urandom > f',
    (agora, id) => atOnce(times(4), 2, () => agora.sandbox.read(id, { path: 'f' })),
  ),
  inSandboxes(
    'sandbox: listing',
    '50,000 entries of long names, listed',
    'mkdir d; cd d; n=$(printf %0200d 0); seq -f "$n%.0f" 1 50000 | xargs touch',
    (agora, id) => atOnce(times(10), 4, () => agora.sandbox.list(id, { path: 'd' })),
  ),
  inSandboxes('sandbox: files', 'a file of quotes at the cap of a body, written', 'true', (agora, id) =>
    agora.sandbox.write(id, { path: 'f', content: '"'.repeat(500_000) }),
  ),
  inSandboxes('sandbox: files', 'paths of 4,096 characters', 'true', (agora, id) =>
    atOnce(['/..'.repeat(1_365), 'a/'.repeat(2_000), './'.repeat(2_000)], 1, (path) =>
      agora.sandbox.read(id, { path }).catch(() => {}),
    ),
  ),
];
