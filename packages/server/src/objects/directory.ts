import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../platform/index.ts';
import { madeAt, newUuid } from '../platform/index.ts';
import { checkKey, isKey, type ObjectKind, type ObjectStore } from './store.ts';

/**
 * Objects as files of one directory. The first digits of the id (about five hours) name a directory. So no directory
 * grows without bound, and directories sort as keys do.
 */
export async function directoryStore(root: string, clock: Clock): Promise<ObjectStore> {
  const partials = join(root, 'partial');
  await mkdir(partials, { recursive: true, mode: 0o700 });
  const pathOf = (key: string) => {
    const [kind = '', id = ''] = checkKey(key).split('/');
    return join(root, kind, id.slice(0, 6), id);
  };
  return {
    isShared: false,
    async put(key, content) {
      const path = pathOf(key);
      const partial = join(partials, newUuid(clock));
      try {
        const handle = await open(partial, 'wx', 0o600);
        try {
          await handle.writeFile(content);
          await handle.sync();
        } finally {
          await handle.close();
        }
        const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rename(partial, path);
        // A renamed file is lost in a power cut until its directory is on disk too, and a new directory likewise.
        await flush(dirname(path));
        if (made !== undefined) await flush(dirname(dirname(path)));
      } catch (error) {
        await rm(partial, { force: true }).catch(() => undefined);
        throw error;
      }
    },
    async get(key) {
      const handle = await open(pathOf(key), 'r').catch(nullWhereMissing);
      if (!handle) return null;
      const { size } = await handle.stat();
      return { sizeBytes: size, stream: createReadStream('', { fd: handle }) };
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    list: (kind) => listed(root, kind),
    async tidy(before) {
      for (const name of await readdir(partials)) {
        if (isKey(`artifacts/${name}`) && madeAt(name) < before) await rm(join(partials, name), { force: true });
      }
    },
  };
}

async function* listed(root: string, kind: ObjectKind): AsyncGenerator<string> {
  const home = join(root, kind);
  for (const shard of ((await readdir(home).catch(nullWhereMissing)) ?? []).sort()) {
    const names = await readdir(join(home, shard)).catch(nullWhereMissing);
    for (const name of (names ?? []).sort()) {
      // Other files there are not ours.
      if (isKey(`${kind}/${name}`)) yield `${kind}/${name}`;
    }
  }
}

function nullWhereMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

async function flush(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
