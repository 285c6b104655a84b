import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { encodeTar } from '../../src/sandbox/docker/tar.ts';

/** A registry of npm on this machine. `answers` replaces what it sends for a path. */
export interface NpmRegistry {
  url: string;
  /** Paths in the order in which they were asked for. */
  asked: string[];
  answers: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
  close(): Promise<void>;
}

export interface TestPackage {
  name: string;
  version: string;
  files: Record<string, string>;
  /** More of its package.json. */
  manifest?: Record<string, unknown>;
}

const tarball = ({ name, version, files, manifest }: TestPackage): Buffer => {
  const all = { 'package.json': JSON.stringify({ name, version, ...manifest }), ...files };
  const entries = Object.entries(all).map(([path, text]) => {
    return { path: `package/${path}`, mode: 0o644, content: Buffer.from(text) };
  });
  return gzipSync(encodeTar(entries));
};

export const pathOf = ({ name, version }: Pick<TestPackage, 'name' | 'version'>) =>
  `/${name}/-/${name.split('/').pop()}-${version}.tgz`;

export async function startNpmRegistry(packages: readonly TestPackage[]): Promise<NpmRegistry> {
  const sent = new Map(packages.map((each) => [pathOf(each), tarball(each)]));
  const asked: string[] = [];
  const answers: NpmRegistry['answers'] = new Map();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = answers.get(path);
    if (answer) return answer(request, response);
    const content = sent.get(path);
    response.statusCode = content ? 200 : 404;
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

/** What npm would write for these dependencies; `change` alters the entry of each. */
export function lockOf(
  root: { name: string; version: string },
  packages: readonly TestPackage[],
  change: (each: Record<string, unknown>) => Record<string, unknown> = (each) => each,
): string {
  const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  const entries = packages.map((each) => {
    const integrity = `sha512-${createHash('sha512').update(tarball(each)).digest('base64')}`;
    const { version, manifest } = each;
    const resolved = `https://registry.npmjs.org${pathOf(each)}`;
    const scripts = manifest?.scripts === undefined ? {} : { hasInstallScript: true };
    const bin = manifest?.bin === undefined ? {} : { bin: manifest.bin };
    return [`node_modules/${each.name}`, change({ version, resolved, integrity, ...scripts, ...bin })];
  });
  const own = { ...root, dependencies };
  return JSON.stringify({
    ...root,
    lockfileVersion: 3,
    requires: true,
    packages: { '': own, ...Object.fromEntries(entries) },
  });
}
