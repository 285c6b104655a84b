import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Program } from '../demo/server.ts';

/**
 * Registries on this machine, for the packages that real projects need: made of what Debian has, since a machine that
 * reaches Debian and npm alone reaches neither proxy.golang.org nor pypi.org.
 */
export interface Registries extends Program {
  /** For `DEPENDENCY_REGISTRIES`. */
  go: string;
  pypi: string;
  npm: string;
}

/** A package as its own registry would serve it. */
export interface Served {
  path: string;
  content: Buffer | string;
}

/** Writes an archive of the files alone: checksums of Go count every entry. */
const zipper = `
import os, sys, zipfile
root, target = sys.argv[1:]
paths = sorted(os.path.relpath(os.path.join(at, name), root) for at, _, names in os.walk(root) for name in names)
with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as archive:
    for path in paths: archive.writestr(zipfile.ZipInfo(path), open(os.path.join(root, path), 'rb').read(), zipfile.ZIP_DEFLATED)
`;

/** A zip archive of the directory that `lay` fills. */
function zipOf(lay: (directory: string) => void): Buffer {
  const place = mkdtempSync(join(tmpdir(), 'agora-zip-'));
  try {
    const target = `${place}.zip`;
    lay(place);
    execFileSync('python3', ['-c', zipper, place, target]);
    const bytes = readFileSync(target);
    rmSync(target);
    return bytes;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** A module of Go from its sources, as `GOPROXY` serves it; with another go.mod where one is given. */
export function goModule(
  module: string,
  version: string,
  sources: string,
  manifest = readFileSync(join(sources, 'go.mod'), 'utf8'),
): Served[] {
  const at = `/go/${module}/@v/${version}`;
  const zip = zipOf((directory) => {
    const place = join(directory, `${module}@${version}`);
    execFileSync('mkdir', ['-p', place]);
    execFileSync('cp', ['-r', `${sources}/.`, place]);
    writeFileSync(join(place, 'go.mod'), manifest);
  });
  return [
    { path: `${at}.info`, content: JSON.stringify({ Version: version, Time: '2020-01-01T00:00:00Z' }) },
    { path: `${at}.mod`, content: manifest },
    { path: `${at}.zip`, content: zip },
  ];
}

/** A wheel in pure Python of a package of Debian, with the page of its index; `hash` is for a requirement. */
export function wheel(modules: string): { served: Served[]; name: string; version: string; hash: string } {
  const root = join(modules, 'usr/lib/python3/dist-packages');
  const isFacts = /^([\w.]+)-([\d.]+?)\.(?:egg|dist)-info$/;
  const all = readdirSync(root);
  const [, given = '', version = ''] = all.map((entry) => isFacts.exec(entry)).find((found) => found !== null) ?? [];
  const name = given.toLowerCase();
  const info = `${name}-${version}.dist-info`;
  const content = zipOf((directory) => {
    for (const entry of all.filter((each) => !isFacts.test(each) && each !== '__pycache__')) {
      execFileSync('cp', ['-r', join(root, entry), directory]);
    }
    // The compiled part is for one version of Python; the package does without.
    execFileSync('find', [directory, '-name', '*.so', '-delete']);
    execFileSync('mkdir', [join(directory, info)]);
    writeFileSync(join(directory, info, 'METADATA'), `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`);
    writeFileSync(join(directory, info, 'WHEEL'), 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n');
    writeFileSync(join(directory, info, 'RECORD'), '');
  });
  const hash = createHash('sha256').update(content).digest('hex');
  const file = `${name}-${version}-py3-none-any.whl`;
  const page = `<a href="/files/${file}#sha256=${hash}">${file}</a>`;
  const served = [
    { path: `/simple/${name.replaceAll(/[_.]+/g, '-')}/`, content: `<!DOCTYPE html><html><body>${page}</body></html>` },
    { path: `/files/${file}`, content },
  ];
  return { served, name, version, hash };
}

/** Serves these files, and those that are added later, on this machine only. */
export async function serveRegistries(files: readonly Served[]): Promise<Registries> {
  const server = createServer(({ url = '' }, response) => {
    const found = files.find(({ path }) => path === decodeURIComponent(url));
    if (found === undefined) return response.writeHead(404).end();
    response.setHeader('content-type', found.path.endsWith('/') ? 'text/html' : 'application/octet-stream');
    return response.end(found.content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    go: `${address}/go`,
    pypi: `${address}/simple`,
    npm: `${address}/npm`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
