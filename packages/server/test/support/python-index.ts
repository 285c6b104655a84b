import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { zip } from './zip.ts';

/** An index of Python on this machine, with wheels made here. */
export interface PythonIndex {
  url: string;
  asked: string[];
  /** SHA-256 of a wheel by its file name. */
  hashes: Map<string, string>;
  close(): Promise<void>;
}

export interface TestWheel {
  name: string;
  version: string;
  files: Record<string, string>;
  /** As `cp311-cp311-win_amd64`; for every Python unless given. */
  tags?: string;
  requires?: string[];
}

export const wheelName = ({ name, version, tags = 'py3-none-any' }: TestWheel) => `${name}-${version}-${tags}.whl`;

function wheel({ name, version, files, tags = 'py3-none-any', requires = [] }: TestWheel): Buffer {
  const about = `${name}-${version}.dist-info`;
  const needs = requires.map((each) => `Requires-Dist: ${each}\n`).join('');
  const all: Record<string, string> = {
    ...files,
    [`${about}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${needs}`,
    [`${about}/WHEEL`]: `Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: ${tags}\n`,
  };
  all[`${about}/RECORD`] = [...Object.keys(all), `${about}/RECORD`].map((path) => `${path},,\n`).join('');
  return zip(all);
}

export async function startPythonIndex(wheels: readonly TestWheel[]): Promise<PythonIndex> {
  const content = new Map(wheels.map((each) => [wheelName(each), wheel(each)]));
  const hashes = new Map([...content].map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const [, project] = /^\/simple\/([^/]+)\/$/.exec(path) ?? [];
    const bytes = content.get(path.slice('/files/'.length));
    const files = wheels.filter(({ name }) => name.replaceAll('_', '-') === project).map(wheelName);
    response.statusCode = files.length > 0 || bytes ? 200 : 404;
    if (bytes) response.end(bytes);
    else {
      response.setHeader('content-type', 'application/vnd.pypi.simple.v1+json');
      const listed = files.map((filename) => ({
        filename,
        url: `/files/${filename}`,
        hashes: { sha256: hashes.get(filename) },
      }));
      response.end(JSON.stringify({ meta: { 'api-version': '1.0' }, name: project, files: listed }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple`,
    asked,
    hashes,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
