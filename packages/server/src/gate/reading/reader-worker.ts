import { parentPort } from 'node:worker_threads';
import type { SandboxFile } from '../../sandbox/index.ts';
import { readings } from './readings.ts';

/**
 * The first message to a reader: the buyer's files of one gate run, one after the other in one buffer. The last
 * `heldOut` of them are held out from the agent.
 */
export type ReaderRequest =
  | { files: { paths: string[]; sizes: number[]; bytes: ArrayBuffer }; heldOut: number }
  | { reading: keyof typeof readings; job: unknown }
  | { forget: true };

export type ReaderReply = { started: true } | { answer: unknown } | { failed: string };

let originals: SandboxFile[] = [];
let heldOut: SandboxFile[] = [];

function unpack({ paths, sizes, bytes }: { paths: string[]; sizes: number[]; bytes: ArrayBuffer }): SandboxFile[] {
  let at = 0;
  return paths.map((path, number) => {
    const content = Buffer.from(bytes, at, sizes[number]!);
    at += content.length;
    return { path, content };
  });
}

function replyTo(request: Extract<ReaderRequest, { reading: unknown }>): ReaderReply {
  try {
    const read = readings[request.reading] as (
      files: readonly SandboxFile[],
      job: unknown,
      heldOut: readonly SandboxFile[],
    ) => unknown;
    return { answer: read(originals, request.job, heldOut) };
  } catch (error) {
    return { failed: error instanceof Error ? error.name : 'unknown' };
  }
}

const say = (reply: ReaderReply) => parentPort!.postMessage(reply);

parentPort!.on('message', (request: ReaderRequest) => {
  if ('files' in request) {
    const files = unpack(request.files);
    heldOut = files.splice(files.length - request.heldOut);
    originals = files;
  } else if ('forget' in request) originals = heldOut = [];
  else say(replyTo(request));
});
say({ started: true });
