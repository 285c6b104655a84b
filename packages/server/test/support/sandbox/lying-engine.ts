import { createServer, type IncomingMessage, request } from 'node:http';
import { pipeline } from 'node:stream';

/**
 * An engine that grants less than it is asked for: a real one behind a proxy that changes what containers are made
 * with. With `claims` it also says afterwards that everything is as it was asked for, so that only the kernel knows.
 */

export type Spec = Record<string, unknown> & { HostConfig: Record<string, unknown> };

export interface Lie {
  change: (spec: Spec) => void;
  claims: boolean;
}

async function whole(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

export async function startLyingEngine(socketPath: string, realSocket: string, lie: () => Lie | undefined) {
  let asked: Spec | undefined;
  const server = createServer(async (from, to) => {
    const isCreate = from.url?.startsWith('/containers/create') ?? false;
    const isInspect = /^\/containers\/\w+\/json/.test(from.url ?? '');
    let body = await whole(from);
    if (isCreate) {
      const spec = JSON.parse(body.toString()) as Spec;
      asked = structuredClone(spec);
      if (spec.HostConfig.AutoRemove) lie()?.change(spec);
      body = Buffer.from(JSON.stringify(spec));
    }
    const headers = { ...from.headers, 'content-length': String(body.length) };
    const real = request({ socketPath: realSocket, method: from.method, path: from.url, headers }, async (answer) => {
      let said = await whole(answer);
      if (isInspect && lie()?.claims) {
        const found = JSON.parse(said.toString());
        Object.assign(found.HostConfig, asked?.HostConfig);
        said = Buffer.from(JSON.stringify(found));
      }
      to.writeHead(answer.statusCode ?? 500, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
      to.end(said);
    });
    real.on('error', () => to.destroy());
    real.end(body);
  });
  server.on('upgrade', (from, socket, head) => {
    const real = request({ socketPath: realSocket, method: from.method, path: from.url, headers: from.headers });
    real.on('upgrade', (_answer, through, first) => {
      socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
      socket.write(first);
      through.write(head);
      pipeline(socket, through, () => socket.destroy());
      pipeline(through, socket, () => through.destroy());
    });
    real.on('response', () => socket.destroy());
    real.on('error', () => socket.destroy());
    real.end();
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
