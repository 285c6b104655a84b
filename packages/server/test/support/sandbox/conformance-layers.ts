import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ArchiveEntry, encodeArchive, readArchive, readSnapshot } from '../../../src/sandbox/archive.ts';
import { unpack } from '../../../src/sandbox/directory.ts';
import type { Layer, Sandbox, SandboxDriver } from '../../../src/sandbox/driver.ts';
import { refusal, TEST_LIMITS } from './limits.ts';

/** Layers: files that lie in the workspace from the start, shared by many sandboxes and changed for one alone. */

const file = (path: string, text: string, more: Partial<ArchiveEntry> = {}): ArchiveEntry => ({
  ...{ type: 'file', path, mode: 0o644, modifiedMs: 1_700_000_000_000, content: Buffer.from(text) },
  ...more,
});

const modules = [
  file('node_modules/tool/index.js', 'original\n'),
  file('node_modules/tool/run.sh', '#!/bin/sh\necho ran\n', { mode: 0o755 }),
  file('node_modules/.bin/tool', '../tool/run.sh', { type: 'symlink' }),
  file('packages/a/node_modules/deep/x', 'deep\n'),
];

export function describeLayers(driver: SandboxDriver): void {
  describe('layers', () => {
    let layer: Layer;
    const opened: Sandbox[] = [];
    beforeAll(async () => {
      const directory = await mkdtemp(join(tmpdir(), 'agora-layer-'));
      await unpack(directory, modules);
      layer = {
        ...{ digest: 'layered', directory, paths: ['node_modules', 'packages/a/node_modules'] },
        ...{ programs: ['node_modules/.bin', 'packages/a'], environment: { WORD: 'layered' } },
      };
    });
    const open = async () => {
      const box = await driver.create('layered', TEST_LIMITS, { layer });
      opened.push(box);
      return box;
    };
    const says = async (box: Sandbox, command: string) => (await box.exec({ command })).stdout;
    afterAll(async () => {
      await Promise.all(opened.map((box) => box.destroy()));
      await rm(layer.directory, { recursive: true });
    });

    it('lie in the workspace with modes and links, and belong to the user inside', async () => {
      const box = await open();
      expect(await says(box, 'tool; cat packages/a/node_modules/deep/x; ls -A')).toBe(
        'ran\ndeep\nnode_modules\npackages\n',
      );
      expect(await says(box, 'echo $WORD')).toBe('layered\n');
      expect((await box.exec({ command: 'echo $WORD', env: { WORD: 'own' } })).stdout).toBe('own\n');
      expect(await says(box, 'find . -uid $(id -u) | wc -l')).toBe(await says(box, 'find . | wc -l'));
      expect(await says(box, 'cat /proc/self/mounts')).not.toContain(layer.directory);
    });

    it('can be changed, deleted and filled anew by each for itself alone', async () => {
      const [one, other] = [await open(), await open()];
      const change = 'echo more >> node_modules/tool/index.js && mv node_modules/tool/run.sh . && rm -rf packages';
      expect(
        await one.exec({ command: `${change} && mkdir -p node_modules/.cache && echo hit > node_modules/.cache/x` }),
      ).toMatchObject({ exitCode: 0 });
      expect(await says(one, 'cat node_modules/tool/index.js node_modules/.cache/x; ls')).toBe(
        'original\nmore\nhit\nnode_modules\nrun.sh\n',
      );
      expect(await says(other, 'cat node_modules/tool/index.js; ls')).toBe('original\nnode_modules\npackages\n');
      expect(await readFile(join(layer.directory, 'node_modules/tool/index.js'), 'utf8')).toBe('original\n');
      expect((await readdir(layer.directory)).sort()).toEqual(['node_modules', 'packages']);
      // All of it can go and come again, as package managers do.
      expect(
        await one.exec({ command: 'rm -rf node_modules && mkdir node_modules && echo new > node_modules/y' }),
      ).toMatchObject({ exitCode: 0 });
      expect(await says(one, 'find node_modules -type f')).toBe('node_modules/y\n');
    });

    it('are left out of what is exported and looked at, and what is imported changes nothing of them', async () => {
      const box = await open();
      await box.write({ path: 'packages/a/src.js', content: Buffer.from('work') });
      await box.exec({ command: 'echo patched > node_modules/tool/index.js; mkdir src; echo mine > src/node_modules' });
      const work = await box.exportWorkspace(1e6);
      const paths = ['packages', 'packages/a', 'packages/a/src.js', 'src', 'src/node_modules'];
      expect([...readArchive(work)].map(({ path }) => path).sort()).toEqual(paths);
      const seen = await box.snapshot({ maxFileBytes: 1e6, maxBytes: 1e6 });
      expect([...readSnapshot(seen)].map(({ path }) => path).sort()).toEqual(paths);
      const judged = await open();
      const forged = [file('node_modules/tool/index.js', 'forged\n'), file('node_modules/new/x', 'forged\n')];
      await judged.importWorkspace(await encodeArchive([...readArchive(work), ...forged, file('last', 'last\n')]));
      expect(await says(judged, 'cat node_modules/tool/index.js packages/a/src.js last; ls node_modules')).toBe(
        'original\nworklast\ntool\n',
      );
      const throughLink = [file('way', 'node_modules', { type: 'symlink' }), file('way/tool/index.js', 'forged\n')];
      expect(await refusal(judged.importWorkspace(await encodeArchive(throughLink)))).toBeOneOf([
        'REFUSED',
        'PATH_ESCAPES',
      ]);
      expect(await says(judged, 'cat node_modules/tool/index.js')).toBe('original\n');
    });

    it('leave the workspace its size', async () => {
      const box = await open();
      const { diskBytes } = await box.usage();
      expect(diskBytes).toBeLessThan(1_000_000);
      const { exitCode } = await box.exec({
        command: `head -c ${2 * TEST_LIMITS.diskBytes} /dev/zero > node_modules/large`,
      });
      expect(exitCode).not.toBe(0);
    });
  });
}
