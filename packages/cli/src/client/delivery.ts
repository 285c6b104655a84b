import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Agora, Artifact, Task } from '@agora-market/sdk';
import { UsageError } from '../failure.ts';
import { toJson } from '../print.ts';

export interface Written {
  path: string;
  sizeBytes: number;
  /** Why the server has no content of a file; null if it was written. */
  dropped: string | null;
}

/**
 * Writes `output.json` and the delivered files, below `files/`, to a directory that is new or empty: an agent names the
 * files, and where nothing is there yet no link can lead elsewhere and nothing be replaced. Each must have the size and
 * the digest that the server lists.
 */
export async function writeDelivery(agora: Agora, task: Task, directory: string): Promise<Written[]> {
  const artifacts: Artifact[] = [];
  for await (const artifact of agora.artifacts.list(task.id)) artifacts.push(artifact);
  // All names are looked at before anything is written.
  const places = artifacts.map(({ path }) => placeOf(directory, path));
  await makeEmpty(directory);
  const output = join(directory, 'output.json');
  const text = `${toJson(task.output)}\n`;
  await writeFile(output, text, { flag: 'wx' });
  const written: Written[] = [{ path: output, sizeBytes: Buffer.byteLength(text), dropped: null }];
  for (const [at, artifact] of artifacts.entries()) {
    const { sizeBytes, dropped } = artifact;
    const place = places[at] as string;
    if (dropped === null) await download(agora, task.id, artifact, place);
    written.push({ path: dropped === null ? place : artifact.path, sizeBytes, dropped });
  }
  return written;
}

/** Names that are a place below the directory on every system; all others are refused. */
export function placeOf(directory: string, path: string): string {
  const parts = path.split('/');
  const isSafe = parts.every(
    // A colon is a drive or a stream on Windows, a backslash a separator.
    (part) => part !== '' && part !== '.' && part !== '..' && !/[\\:\p{Cc}]/u.test(part) && part.length <= 255,
  );
  if (!isSafe) throw new Error(`A delivered file has an unsafe name (${JSON.stringify(path)}); nothing was written.`);
  return join(directory, 'files', ...parts);
}

async function makeEmpty(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const found = await readdir(directory);
  if (found.length > 0) throw new UsageError(`--output ${directory} is not empty. Name a new directory.`);
}

async function download(agora: Agora, taskId: string, artifact: Artifact, place: string): Promise<void> {
  await mkdir(dirname(place), { recursive: true });
  const response = await agora.artifacts.download(taskId, artifact.id);
  await writeChecked(response, artifact, place).catch((error) => {
    throw new Error(`The delivered file ${artifact.path} could not be written: ${(error as Error).message}.`, {
      cause: error,
    });
  });
}

/** Writes a reply to a new file, which stays only if it has the size and the digest that the server lists. */
export async function writeChecked(
  { body }: Response,
  { sizeBytes, sha256 }: { sizeBytes: number; sha256: string | null },
  place: string,
): Promise<void> {
  const digest = createHash('sha256');
  let left = sizeBytes;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      digest.update(chunk);
      done(left < 0 ? new Error('longer than it should be') : null, chunk);
    },
  });
  try {
    const content = body === null ? Readable.from([]) : Readable.fromWeb(body as never);
    await pipeline(content, measure, createWriteStream(place, { flags: 'wx' }));
    if (left !== 0) throw new Error('shorter than it should be');
    if (digest.digest('hex') !== sha256) throw new Error('not what the server lists');
  } catch (error) {
    await rm(place, { force: true });
    throw error;
  }
}
