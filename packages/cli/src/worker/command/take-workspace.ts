import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TaskSandbox } from '@agora-market/sdk/worker';
import { extract, type Headers } from 'tar-stream';
import { type Entries, ensureWithin, isHidden } from './limits.ts';

/** GNU tar would write the second of two linked files as a link. */
const packAll = 'tar --version 2>/dev/null | grep -q GNU && LINKS=--hard-dereference; tar -cf - $LINKS .';

/**
 * Copies files and directories of the task's workspace into an empty directory and returns what they are. Links and special
 * files stay in the sandbox: here they could lead out of the directory. So does what is hidden. Rejects if the workspace is
 * too large.
 */
export async function takeWorkspace(
  sandbox: TaskSandbox,
  directory: string,
  hidden: readonly string[],
): Promise<Entries> {
  const entries: Entries = new Map();
  const total = { bytes: 0, files: 0 };
  const archive = extract();
  const unpackDirectory = async (path: string) => {
    await mkdir(join(directory, path), { recursive: true });
    entries.set(path, 'directory');
  };
  const unpackFile = async (content: AsyncIterable<Buffer>, { mode = 0 }: Headers, path: string) => {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const executable = (mode & 0o100) !== 0;
    const target = join(directory, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes, { mode: executable ? 0o755 : 0o644, flag: 'wx' });
    entries.set(path, { digest: digestOf(bytes), executable });
  };
  const unpacking = (async () => {
    for await (const entry of archive) {
      const { header } = entry;
      const path = pathOf(header);
      if (isHidden(path, hidden)) {
        entry.resume();
        continue;
      }
      total.files++;
      total.bytes += header.size ?? 0;
      ensureWithin(total);
      if (header.type === 'file' && path !== '') await unpackFile(entry, header, path);
      else {
        if (header.type === 'directory' && path !== '') await unpackDirectory(path);
        entry.resume();
      }
    }
  })();
  await Promise.all([pipeline(Readable.from(archiveOf(sandbox)), archive), unpacking]);
  return entries;
}

export const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('base64');

/** The archive as the sandbox streams it. */
async function* archiveOf(sandbox: TaskSandbox): AsyncGenerator<Uint8Array> {
  let said = '';
  for await (const event of sandbox.execStream(packAll)) {
    if (event.event === 'exit') {
      const { exitCode, truncated } = event.data;
      if (exitCode === 0 && !truncated) return;
      throw new Error(`The workspace cannot be copied from the sandbox (tar: ${said.trim() || 'its output was cut'})`);
    }
    if (event.event === 'stdout') yield event.bytes;
    else said = `${said}${event.text ?? ''}`.slice(-300);
  }
}

/** A path below the workspace. The archive is written in the sandbox, so nobody vouches for its names. */
function pathOf({ name }: Headers): string {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..')) throw new Error('The workspace has a path that leads out of it');
  return parts.join('/');
}
