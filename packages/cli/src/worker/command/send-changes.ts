import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { TaskSandbox } from '@agora-market/sdk/worker';
import { pack } from 'tar-stream';
import { type Entries, ensureWithin, isHidden } from './limits.ts';
import { digestOf } from './take-workspace.ts';

/** Characters of base64 in one request, whose body may have 1 MiB; a multiple of 4. */
const partChars = 800_000;

/** Where the changes wait in the sandbox until they are applied. */
const inbox = '/tmp/agora-changes';

/** Deletes first, so that a directory can take the place of a file. */
const applyAll = `set -e; cd /workspace
if [ -s ${inbox}/deleted ]; then xargs -0 rm -rf -- < ${inbox}/deleted; fi
cat ${inbox}/part.* | base64 -d | gzip -d | tar -xf - --no-same-owner
rm -rf ${inbox}`;

export interface Changes {
  written: number;
  deleted: number;
  /** Paths of links and special files, which are not sent. */
  skipped: string[];
}

/** Sends what a command has changed in the directory back to the sandbox. Rejects if that is too large. */
export async function sendChanges(
  sandbox: TaskSandbox,
  directory: string,
  before: Entries,
  hidden: readonly string[],
): Promise<Changes> {
  const { now, contents, skipped } = await look(directory, before, hidden);
  // What is a link now is no deletion.
  const kept = new Set(skipped);
  const gone = [...before.keys()].filter((path) => !kept.has(path) && kindOf(now, path) !== kindOf(before, path));
  const deleted = gone.filter((path) => !gone.some((above) => path.startsWith(`${above}/`)));
  const written = [...contents.keys()];
  if (written.length === 0 && deleted.length === 0) return { written: 0, deleted: 0, skipped };
  const archive = pack();
  for (const [path, { bytes, executable }] of contents) {
    if (bytes === null) archive.entry({ name: `./${path}`, type: 'directory', mode: 0o755 });
    else archive.entry({ name: `./${path}`, mode: executable ? 0o755 : 0o644 }, bytes);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk);
  const text = gzipSync(Buffer.concat(chunks)).toString('base64');
  const names = Buffer.from(deleted.map((path) => `./${path}\0`).join(''));
  await sandbox.write(`${inbox}/deleted`, names.toString('base64'), { encoding: 'base64' });
  for (let at = 0, part = 0; at < text.length; at += partChars, part++) {
    await sandbox.write(`${inbox}/part.${String(part).padStart(4, '0')}`, text.slice(at, at + partChars));
  }
  const { exitCode, stderr } = await sandbox.exec(applyAll, { timeoutMs: 300_000 });
  if (exitCode !== 0) throw new Error(`The changes cannot be written to the sandbox: ${stderr.trim().slice(-300)}`);
  return { written: written.length, deleted: deleted.length, skipped };
}

const kindOf = (entries: Entries, path: string) => {
  const entry = entries.get(path);
  return typeof entry === 'object' ? 'file' : entry;
};

interface Found {
  now: Entries;
  /** Files and directories that are new or changed; null for a directory. */
  contents: Map<string, { bytes: Buffer | null; executable: boolean }>;
  skipped: string[];
}

async function look(directory: string, before: Entries, hidden: readonly string[]): Promise<Found> {
  const found: Found = { now: new Map(), contents: new Map(), skipped: [] };
  const total = { bytes: 0, files: 0 };
  const visit = async (at: string): Promise<void> => {
    for (const entry of await readdir(join(directory, at), { withFileTypes: true })) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (isHidden(path, hidden)) continue;
      total.files++;
      ensureWithin(total);
      if (entry.isDirectory()) {
        found.now.set(path, 'directory');
        if (before.get(path) !== 'directory') found.contents.set(path, { bytes: null, executable: true });
        await visit(path);
      } else if (entry.isFile()) await visitFile(path);
      else found.skipped.push(path);
    }
  };
  const visitFile = async (path: string) => {
    // A link that takes the file's place meanwhile is refused.
    const file = await open(join(directory, path), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { bytes, executable } = await readWithin(file, total);
      const digest = digestOf(bytes);
      const old = before.get(path);
      found.now.set(path, { digest, executable });
      const same = typeof old === 'object' && old.digest === digest && old.executable === executable;
      if (!same) found.contents.set(path, { bytes, executable });
    } finally {
      await file.close();
    }
  };
  await visit('');
  return found;
}

async function readWithin(file: FileHandle, total: { bytes: number; files: number }) {
  const { size, mode } = await file.stat();
  total.bytes += size;
  ensureWithin(total);
  return { bytes: await file.readFile(), executable: (mode & 0o100) !== 0 };
}
