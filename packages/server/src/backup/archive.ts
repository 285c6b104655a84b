import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { extract, type Pack, pack } from 'tar-stream';

/** A backup is a gzipped tar. Its last entry has the SHA-256 of all others, as `sha256sum -c` takes it. */
const sumsName = 'SHA256SUMS';

type Chunks = AsyncIterable<Buffer | Uint8Array>;

export interface ArchiveWriter {
  add(name: string, content: Buffer): Promise<void>;
  /** Of `sizeBytes` bytes, neither more nor less. */
  addStream(name: string, sizeBytes: number, content: Chunks): Promise<void>;
}

/** A compression level that keeps up with a disk; higher ones save little of what tables hold. */
const level = 3;

/** Writes an archive that is there as a whole, and on disk, or not at all. Holds no more than a chunk in memory. */
export async function writeArchive(path: string, fill: (writer: ArchiveWriter) => Promise<void>): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  const tar = pack();
  const written = pipeline(tar, createGzip({ level }), createWriteStream(partial, { mode: 0o600, flush: true }));
  written.catch(() => undefined);
  const sums: string[] = [];
  const addStream: ArchiveWriter['addStream'] = async (name, size, content) => {
    const hash = createHash('sha256');
    await pour(tar.entry({ name, size, mode: 0o600 }), hashed(content, hash));
    sums.push(`${hash.digest('hex')}  ${name}\n`);
  };
  const add: ArchiveWriter['add'] = (name, content) => addStream(name, content.length, chunksOf(content));
  try {
    await fill({ add, addStream });
    await add(sumsName, Buffer.from(sums.join('')));
    tar.finalize();
    await written;
    await rename(partial, path);
  } catch (error) {
    tar.destroy();
    // A full disk is the reason, and that the tar was destroyed only what follows.
    const reason = await written.then(
      () => error,
      (failure: Error & { code?: string }) => (failure.code === 'ERR_STREAM_PREMATURE_CLOSE' ? error : failure),
    );
    await rm(partial, { force: true });
    throw reason;
  }
}

async function* chunksOf(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

async function* hashed(content: Chunks, hash: ReturnType<typeof createHash>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Ends when the archive has taken everything. */
async function pour(entry: ReturnType<Pack['entry']>, content: Chunks): Promise<void> {
  let failure: unknown;
  entry.on('error', (error: Error) => {
    failure = error;
  });
  const closed = new Promise<void>((resolve) => entry.once('close', resolve));
  for await (const chunk of content) {
    if (failure !== undefined) throw failure;
    if (!entry.write(chunk)) await Promise.race([new Promise((resolve) => entry.once('drain', resolve)), closed]);
  }
  entry.end();
  await closed;
  if (failure !== undefined) throw failure;
}

export interface ArchiveEntry {
  name: string;
  sizeBytes: number;
  content: AsyncIterable<Buffer>;
}

/** The entries in order, the sums among them. Each must be read to its end before the next is asked for. */
export async function* readArchive(path: string, onBytes: (bytes: number) => void): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  const file = createReadStream(path);
  file.on('data', (chunk) => onBytes(chunk.length));
  const read = pipeline(file, createGunzip(), tar);
  read.catch(() => undefined);
  for await (const entry of tar) {
    yield { name: entry.header.name, sizeBytes: entry.header.size ?? 0, content: entry as AsyncIterable<Buffer> };
  }
  await read;
}

export class DamagedBackup extends Error {
  constructor(path: string, reason: string, cause?: unknown) {
    super(`${path} is no backup, or it is damaged or cut short: ${reason}. Nothing was changed.`, { cause });
  }
}

/** Reads the whole archive and compares it with its sums. Gives its first entry, which must have that name. */
export async function verifyArchive(
  path: string,
  first: string,
  onBytes: (bytes: number) => void,
): Promise<{ first: Buffer }> {
  const found: string[] = [];
  let head: Buffer | undefined;
  let sums: string | undefined;
  try {
    for await (const { name, content } of readArchive(path, onBytes)) {
      if (sums !== undefined) throw new Error('something follows its end');
      const isKept = name === sumsName || found.length === 0;
      const hash = createHash('sha256');
      const kept: Buffer[] = [];
      for await (const chunk of content) {
        hash.update(chunk);
        if (isKept) kept.push(chunk);
      }
      if (found.length === 0 && name !== first) throw new Error(`it does not begin with ${first}`);
      head ??= Buffer.concat(kept);
      if (name === sumsName) sums = Buffer.concat(kept).toString();
      else found.push(`${hash.digest('hex')}  ${name}\n`);
    }
  } catch (error) {
    throw new DamagedBackup(path, (error as Error).message, error);
  }
  if (head === undefined || sums === undefined) throw new DamagedBackup(path, 'its end is missing');
  if (sums !== found.join('')) throw new DamagedBackup(path, 'its contents are not what their sums say');
  return { first: head };
}
