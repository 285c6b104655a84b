import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A registry of packages on this machine. `answers` replaces what it sends for a path. */
export interface PackageRegistry {
  url: string;
  /** Paths in the order in which they were asked for. */
  asked: string[];
  answers: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
  close(): Promise<void>;
}

/** With `authorization` it answers nobody else. */
export async function startPackageRegistry(
  sent: ReadonlyMap<string, Buffer | string>,
  authorization?: string,
): Promise<PackageRegistry> {
  const asked: string[] = [];
  const answers: PackageRegistry['answers'] = new Map();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      return response.writeHead(401).end();
    }
    const answer = answers.get(path);
    if (answer) return answer(request, response);
    const content = sent.get(path);
    response.statusCode = content === undefined ? 404 : 200;
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An answer that has no end. */
export function endless(_: IncomingMessage, response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on('drain', more);
  more();
}
