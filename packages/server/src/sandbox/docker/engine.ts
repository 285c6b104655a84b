import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type Docker from 'dockerode';
import { SandboxError } from '../driver.ts';

/** Where a container engine listens, and the one call that its client library gets wrong. */

export interface EngineAddress {
  socketPath?: string;
  protocol: 'http' | 'https';
  host?: string;
  port?: number;
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
}

/** The standard input and output of a container; `closed` when the engine or the container has ended. */
export interface Attached {
  stdin: Writable;
  stdout: Readable;
  /** The first part of stderr. */
  complaint(): string;
  closed: Promise<void>;
  close(): void;
}

const COMPLAINT_CHARS = 2_000;
const CONNECT_TIMEOUT_MS = 15_000;
/** Of silence, not of a whole call: laying an image over a large one takes a while. */
const CALL_TIMEOUT_MS = 120_000;
const STREAM_HEAD = 8;

/** Reads `unix:///path`, `tcp://host:port`, `http://…` or `https://…`; certificates make `tcp` mean TLS. */
export function parseEngineHost(text: string, certPath?: string): EngineAddress {
  if (text.startsWith('unix://')) return { protocol: 'http', socketPath: text.slice('unix://'.length) };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(tcp|https?):$/.test(url.protocol) || url.pathname.length > 1) {
    throw new RangeError('A container engine is named as unix:///path, tcp://host:port or https://host:port.');
  }
  const secure = url.protocol === 'https:' || certPath !== undefined;
  const file = (name: string) => readFileSync(join(certPath ?? '', name));
  return {
    protocol: secure ? 'https' : 'http',
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (secure ? 2376 : 2375),
    ...(certPath ? { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') } : {}),
  };
}

/** Loaded when it is needed: the library takes a tenth of a second, which servers without an engine need not spend. */
export async function connectEngine(address: EngineAddress): Promise<Docker> {
  const { default: Client } = await import('dockerode');
  // The library would take missing options from DOCKER_HOST and similar variables, and a host there would override our
  // socket.
  const nothing = { host: undefined, port: undefined, socketPath: undefined, ca: undefined, cert: undefined };
  return new Client({ ...nothing, key: undefined, timeout: CALL_TIMEOUT_MS, ...address } as Docker.DockerOptions);
}

/**
 * Attaches to a container before it starts, so that nothing it says is missed. It is done by hand because the library
 * sends its options as the body of this request, which then arrives on the container's stdin.
 */
export function attach(address: EngineAddress, containerId: string): Promise<Attached> {
  const { protocol, ...where } = address;
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https' ? requestHttps : requestHttp)({
      ...where,
      method: 'POST',
      path: `/containers/${containerId}/attach?stream=1&stdin=1&stdout=1&stderr=1`,
      headers: { Connection: 'Upgrade', Upgrade: 'tcp', 'Content-Length': '0' },
      timeout: CONNECT_TIMEOUT_MS,
      // A connection of its own, which ends with the sandbox.
      agent: false,
    });
    request.on('upgrade', (_response, socket, head) => {
      socket.setTimeout(0);
      socket.unshift(head);
      resolve(splitStreams(socket));
    });
    request.on('response', (response) => {
      void saidBy(response).then((said) => reject(new Error(`attaching was refused: ${said}`)));
    });
    request.on('timeout', () => request.destroy(new Error('the engine did not answer')));
    request.on('error', reject);
    request.end();
  });
}

async function saidBy(response: IncomingMessage): Promise<string> {
  let said = '';
  for await (const bytes of response) said = (said + String(bytes)).slice(0, COMPLAINT_CHARS);
  return said;
}

/** Takes the engine's one stream apart: u8 stream | 3 bytes of nothing | u32 length, big endian | bytes. */
export function splitStreams(socket: Readable & Writable): Attached {
  const stdout = new PassThrough();
  let complaint = '';
  let head = Buffer.alloc(0);
  let left = 0;
  let stream = 0;
  const take = (bytes: Buffer) => {
    if (stream === 1) stdout.write(bytes);
    else complaint = (complaint + bytes.toString()).slice(0, COMPLAINT_CHARS);
  };
  socket.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; ) {
      if (left === 0) {
        const missing = STREAM_HEAD - head.length;
        head = Buffer.concat([head, bytes.subarray(at, at + missing)]);
        at += missing;
        if (head.length < STREAM_HEAD) return;
        stream = head.readUInt8(0);
        left = head.readUInt32BE(4);
        head = Buffer.alloc(0);
        if (stream > 2) return void socket.destroy();
      } else {
        const part = bytes.subarray(at, at + left);
        take(part);
        left -= part.length;
        at += part.length;
      }
    }
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => socket.destroy());
  socket.on('end', () => socket.destroy());
  void closed.then(() => stdout.end());
  return { stdin: socket, stdout, complaint: () => complaint, closed, close: () => void socket.destroy() };
}

/** The HTTP status that the engine refused with, if it was the engine. */
export const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number }).statusCode;

export const reason = (error: unknown) => (error instanceof Error ? error.message : String(error)).trim();

export function unavailable(cause: unknown): SandboxError {
  if (cause instanceof SandboxError) return cause;
  return new SandboxError('SANDBOX_UNAVAILABLE', reason(cause));
}
