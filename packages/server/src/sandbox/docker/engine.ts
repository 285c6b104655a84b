import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { whenNeeded } from '../../platform/index.ts';
import { SandboxError } from '../driver.ts';

/** A container engine: where it listens, and the calls of Docker's API that the driver makes, which Podman has too. */

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

/** What a container is made of. */
export interface ContainerSpec {
  name?: string;
  Image: string;
  Entrypoint: string[];
  Cmd: string[];
  Labels: Record<string, string>;
  HostConfig: Record<string, unknown>;
  [more: string]: unknown;
}

/** What the engine says of a container that it has; only what the driver looks at. */
export interface InspectedContainer {
  Id: string;
  State: { Running: boolean };
  HostConfig: {
    Runtime?: string;
    Memory?: number;
    MemorySwap?: number;
    PidsLimit?: number | null;
    CpuQuota?: number;
    CpuPeriod?: number;
    NetworkMode?: string;
    ReadonlyRootfs?: boolean;
    SecurityOpt?: string[] | null;
    Privileged?: boolean;
    CapAdd?: string[] | null;
    Devices?: unknown[] | null;
    PidMode?: string;
    IpcMode?: string;
    UTSMode?: string;
    LogConfig?: { Type: string };
  };
  Mounts: { Type: string; Name?: string; Destination: string; RW: boolean }[];
}

interface InspectedImage {
  Id: string;
  Config?: { Volumes?: Record<string, unknown> | null };
}

interface Call {
  query?: Record<string, string>;
  /** An archive, or what is sent as JSON. */
  body?: Buffer | object;
}

export type Engine = ReturnType<typeof connectEngine>;

export function connectEngine({ protocol, host = 'engine', port, ...where }: EngineAddress) {
  const opened = whenNeeded(async () => {
    const { Agent, request } = await import('undici');
    const times = { headersTimeout: CALL_TIMEOUT_MS, bodyTimeout: CALL_TIMEOUT_MS };
    return { request, dispatcher: new Agent({ connect: { ...where, timeout: CONNECT_TIMEOUT_MS }, ...times }) };
  });
  const authority = host.includes(':') ? `[${host}]` : host;
  const origin = `${protocol}://${authority}${port === undefined ? '' : `:${port}`}`;

  async function call<T = void>(method: Dispatcher.HttpMethod, path: string, { query, body }: Call = {}): Promise<T> {
    const isArchive = Buffer.isBuffer(body);
    const { request, dispatcher } = await opened();
    const { statusCode, body: reply } = await request(origin + path, {
      dispatcher,
      method,
      ...(query && { query }),
      ...(body && {
        headers: { 'content-type': isArchive ? 'application/x-tar' : 'application/json' },
        body: isArchive ? body : JSON.stringify(body),
      }),
    });
    const said = await reply.text();
    if (statusCode >= 400) throw new EngineRefusal(statusCode, said);
    // A few calls answer with a word or with nothing.
    return (said.startsWith('{') || said.startsWith('[') ? JSON.parse(said) : undefined) as T;
  }

  return {
    ping: () => call('GET', '/_ping'),
    info: () => call<{ OSType?: string; SecurityOptions?: string[] | null }>('GET', '/info'),
    version: () => call<{ Components?: { Name: string }[] | null }>('GET', '/version'),
    /** The ones with this label, running or not. */
    containersOf: (label: string) =>
      call<{ Id: string; Labels: Record<string, string>; State: string }[]>('GET', '/containers/json', {
        query: { all: 'true', filters: JSON.stringify({ label: [label] }) },
      }),
    createContainer: ({ name, ...spec }: ContainerSpec) =>
      call<{ Id: string }>('POST', '/containers/create', { ...(name && { query: { name } }), body: spec }),
    startContainer: (id: string) => call('POST', `/containers/${id}/start`),
    inspectContainer: (id: string) => call<InspectedContainer>('GET', `/containers/${id}/json`),
    /** With its volumes, in any state. */
    removeContainer: (id: string) => call('DELETE', `/containers/${id}`, { query: { force: 'true', v: 'true' } }),
    /** What Podman alone says of a container. */
    inspectByPodman: (id: string) => call<{ OCIRuntime?: unknown }>('GET', `/v4.0.0/libpod/containers/${id}/json`),
    unpackInto: (id: string, archive: Buffer) =>
      call('PUT', `/containers/${id}/archive`, { query: { path: '/' }, body: archive }),
    commit: (container: string, repo: string, tag: string) =>
      call('POST', '/commit', { query: { container, repo, tag, pause: 'false' }, body: {} }),
    images: () => call<{ RepoTags?: string[] | null }[]>('GET', '/images/json'),
    inspectImage: (name: string) => call<InspectedImage>('GET', `/images/${name}/json`),
    removeImage: (name: string) => call('DELETE', `/images/${name}`),
  };
}

/** The engine's own refusal of a call. */
class EngineRefusal extends Error {
  readonly status: number;

  constructor(status: number, said: string) {
    super(`the engine answered ${status}: ${messageIn(said).slice(0, COMPLAINT_CHARS)}`);
    this.status = status;
  }
}

function messageIn(said: string): string {
  try {
    return String((JSON.parse(said) as { message?: unknown }).message ?? said).trim();
  } catch {
    return said.trim();
  }
}

/** Attaches to a container before it starts, so that nothing it says is missed. */
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
export const statusOf = (error: unknown): number | undefined =>
  error instanceof EngineRefusal ? error.status : undefined;

/** Where several addresses were tried, the error has a code and no message. */
export const reason = (error: unknown) =>
  (error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error)).trim();

export function unavailable(cause: unknown): SandboxError {
  if (cause instanceof SandboxError) return cause;
  return new SandboxError('SANDBOX_UNAVAILABLE', reason(cause));
}
