import type { Worker } from 'node:worker_threads';
import { openWorkerThread } from '../../platform/index.ts';
import type { SandboxFile } from '../../sandbox/index.ts';
import { GateUnavailable, Unreadable } from '../errors.ts';
import { uncounted } from './attempts.ts';
import { pack } from './pack.ts';
import type { ReaderReply, ReaderRequest } from './reader-worker.ts';
import { type AnswerOf, type JobOf, ofBuyer, type Readings, readings } from './readings.ts';

/** Honest deliveries are read in milliseconds; the caps leave room for a large repository on a busy machine. */
export interface ReaderCaps {
  startMs: number;
  /** For one reading. */
  readMs: number;
  /** For all readings of one gate run. */
  totalMs: number;
}

export const readerCaps: ReaderCaps = { startMs: 30_000, readMs: 10_000, totalMs: 30_000 };

const limits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** Idle worker threads, so that a gate run need not wait for one to start. */
const keptIdle = 2;
/** A worker that has held more than this is ended, because it never shrinks again. */
const keptBytes = 16 * 1024 ** 2;

/** Reads text of the parties of one gate run in a worker thread. Rejects with `Unreadable` if the text is to blame. */
export interface Reader {
  read<R extends keyof Readings>(reading: R, job: JobOf<R>): Promise<AnswerOf<R>>;
  /** Gives the worker thread back. */
  close(): void;
}

const idle: Worker[] = [];

function takeWorker(): Worker {
  const kept = idle.pop();
  const worker = kept ?? openWorkerThread(import.meta.url, './reader-worker', { limits });
  worker.ref();
  return worker;
}

function giveBack(worker: Worker, isClean: boolean): void {
  worker.removeAllListeners();
  if (!isClean || idle.length >= keptIdle) return void worker.terminate();
  worker.postMessage({ forget: true } satisfies ReaderRequest);
  // Ended by itself, as when its memory ran out late: it must not be handed out.
  worker.once('exit', () => {
    const at = idle.indexOf(worker);
    if (at >= 0) idle.splice(at, 1);
  });
  worker.on('error', () => undefined);
  worker.unref();
  idle.push(worker);
}

/** The worker's answer, or how it failed. */
function answerOf(worker: Worker, request: ReaderRequest | null, capMs: number): Promise<ReaderReply> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(timer);
      worker.removeAllListeners();
      worker.on('error', () => undefined);
      end();
    };
    const fail = (how: string) => settle(() => reject(new Error(how)));
    // A message may be waiting behind a busy event loop; it is delivered before the second turn.
    const timer = setTimeout(() => setTimeout(() => fail('takes too long'), 20), capMs);
    worker.removeAllListeners();
    worker.on('message', (reply: ReaderReply) => settle(() => resolve(reply)));
    worker.on('error', () => fail('takes too much memory'));
    worker.on('exit', () => fail('broke off'));
    if (request !== null) worker.postMessage(request);
  });
}

interface Matter {
  taskId: string;
  originalFiles: readonly SandboxFile[];
  heldOut?: readonly SandboxFile[];
}

/** So much is read in a moment, on any thread. */
const smallChars = 32 * 1024;
const fewFiles = 200;

const isFew = (files: readonly SandboxFile[]) =>
  files.length <= fewFiles && files.reduce((bytes, { content }) => bytes + content.length, 0) <= smallChars;

/** Characters of a question; a bound if it is not text. */
function sizeOf(job: unknown): number {
  if (typeof job === 'string') return job.length;
  if (job === null || typeof job !== 'object') return 0;
  const parts = job instanceof Map ? [...job.keys(), ...job.values()] : Object.values(job);
  return parts.length > fewFiles
    ? Number.POSITIVE_INFINITY
    : parts.reduce<number>((sum, part) => sum + sizeOf(part), 0);
}

/** A reader of one gate run. It takes a worker at its first reading; a lost worker is replaced at the next. */
export function openReader(
  { taskId, originalFiles, heldOut = [] }: Matter,
  attempts = uncounted,
  caps = readerCaps,
): Reader {
  let worker: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let spentMs = 0;
  let bytes = 0;

  async function open(): Promise<Worker> {
    const taken = takeWorker();
    try {
      if (!started.has(taken)) await answerOf(taken, null, caps.startMs);
      started.add(taken);
    } catch (error) {
      void taken.terminate();
      throw new GateUnavailable('The worker thread that reads for the gate did not start', error);
    }
    const files = await pack([...originalFiles, ...heldOut]);
    bytes = files.bytes.byteLength;
    taken.postMessage({ files, heldOut: heldOut.length } satisfies ReaderRequest, [files.bytes]);
    return taken;
  }

  const isSmall = isFew([...originalFiles, ...heldOut]);

  function readHere<R extends keyof Readings>(reading: R, job: JobOf<R>): AnswerOf<R> {
    const read = readings[reading] as (files: unknown, job: JobOf<R>, heldOut: unknown) => AnswerOf<R>;
    try {
      return read(originalFiles, job, heldOut);
    } catch (error) {
      throw new Unreadable(`failed (${(error as Error).name})`);
    }
  }

  const lose = () => {
    if (worker !== null) giveBack(worker, false);
    worker = null;
  };

  async function readNow<R extends keyof Readings>(reading: R, job: JobOf<R>): Promise<AnswerOf<R>> {
    const leftMs = Math.min(caps.readMs, caps.totalMs - spentMs);
    if (leftMs <= 0) throw new Unreadable('takes too long');
    // The author of the text is responsible for it.
    const attempt = `${taskId}.${ofBuyer.has(reading) ? 'input' : 'delivery'}`;
    if (attempts.isBarred(attempt)) throw new Unreadable('has ended this server twice');
    // All readings are linear, so reading a small text costs less than sending it to a worker.
    if (worker === null && isSmall && sizeOf(job) <= smallChars) return readHere(reading, job);
    await attempts.begin(attempt);
    const startedMs = performance.now();
    try {
      worker ??= await open();
      const reply = await answerOf(worker, { reading, job }, leftMs);
      if ('answer' in reply) return reply.answer as AnswerOf<R>;
      throw new Error('failed' in reply ? `failed (${reply.failed})` : 'broke off');
    } catch (error) {
      lose();
      if (error instanceof GateUnavailable) throw error;
      throw new Unreadable((error as Error).message);
    } finally {
      spentMs += performance.now() - startedMs;
      await attempts.end(attempt);
    }
  }

  return {
    read(reading, job) {
      const next = last.then(() => readNow(reading, job));
      last = next.catch(() => undefined);
      return next;
    },
    close() {
      if (worker !== null) giveBack(worker, bytes <= keptBytes);
      worker = null;
    },
  };
}

const started = new WeakSet<Worker>();
