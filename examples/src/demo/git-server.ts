import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GitObjects } from './git-objects.ts';
import type { Program } from './server.ts';

/** The only branch of a repository. */
export interface Branch {
  objects: GitObjects;
  name: string;
  /** Its last commit. */
  head: string;
}

export interface GitServer extends Program {
  /** What to clone. */
  url: string;
}

type Log = (line: string) => void;

const flush = Buffer.from('0000');
/** Most bytes of one line of the protocol, without its length and band number. */
const maxBandBytes = 65_515;

/** A line of git's protocol: its own length in four hexadecimal digits, then the text. */
function line(text: string | Buffer): Buffer {
  const content = Buffer.from(text as string);
  return Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, '0')), content]);
}

function linesOf(body: Buffer): string[] {
  const lines: string[] = [];
  for (let at = 0; at + 4 <= body.length; ) {
    const length = Number.parseInt(body.toString('latin1', at, at + 4), 16);
    if (Number.isNaN(length)) throw new Error('This is no request of git');
    if (length >= 4) lines.push(body.toString('utf8', at + 4, at + length).trim());
    at += Math.max(length, 4);
  }
  return lines;
}

/**
 * Serves a repository for reading over git's smart HTTP protocol, on this machine only. It needs no git program. Any
 * client can clone any branch or commit, whole or shallow. Objects that a client already has are sent again.
 */
export async function serveGit(branch: Branch, log: Log): Promise<GitServer> {
  const path = '/web-stack.git';
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://git');
    const service = 'git-upload-pack';
    const answer = async () => {
      if (pathname === `${path}/info/refs` && searchParams.get('service') === service) {
        response.setHeader('Content-Type', `application/x-${service}-advertisement`);
        return response.end(advertisement(branch));
      }
      if (pathname === `${path}/${service}` && request.method === 'POST')
        return uploadPack(branch, request, response, log);
      response.writeHead(404).end();
    };
    answer().catch((error: Error) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(400).end(`${error.message}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function advertisement({ name, head }: Branch): Buffer {
  const able = `shallow side-band-64k allow-reachable-sha1-in-want symref=HEAD:refs/heads/${name}`;
  return Buffer.concat([
    line('# service=git-upload-pack\n'),
    flush,
    line(`${head} HEAD\0${able}\n`),
    line(`${head} refs/heads/${name}\n`),
    flush,
  ]);
}

/** The two parts of a client's request: what it wants, and that it has listed what it has. */
async function readRequest(request: IncomingMessage) {
  const body: Buffer[] = [];
  for await (const chunk of request) body.push(chunk);
  const lines = linesOf(Buffer.concat(body));
  const all = (pattern: RegExp) => lines.flatMap((one) => pattern.exec(one)?.[1] ?? []);
  const [deepen] = all(/^deepen (\d+)$/);
  const depth = deepen === undefined ? Number.POSITIVE_INFINITY : Number(deepen);
  return { wants: all(/^want ([0-9a-f]{40})/), depth, isDone: lines.includes('done') };
}

async function uploadPack({ objects }: Branch, request: IncomingMessage, response: ServerResponse, log: Log) {
  const { wants, depth, isDone } = await readRequest(request);
  response.setHeader('Content-Type', 'application/x-git-upload-pack-result');
  const unknown = wants.find((id) => !objects.isCommit(id));
  if (unknown !== undefined) return response.end(line(`ERR upload-pack: not our ref ${unknown}\n`));
  const { ids, shallow } = objects.reachable(wants, depth);
  if (Number.isFinite(depth)) {
    for (const commit of shallow) response.write(line(`shallow ${commit}\n`));
    response.write(flush);
  }
  if (!isDone) return response.end(Number.isFinite(depth) ? '' : line('NAK\n'));
  response.write(line('NAK\n'));
  const pack = objects.pack(ids);
  for (let at = 0; at < pack.length; at += maxBandBytes) {
    response.write(line(Buffer.concat([Buffer.from([1]), pack.subarray(at, at + maxBandBytes)])));
  }
  log(`sends commit ${wants[0]?.slice(0, 10)}: ${ids.size} objects, ${(pack.length / 1e6).toFixed(1)} MB`);
  return response.end(flush);
}
