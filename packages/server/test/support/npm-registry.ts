import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { encodeTar } from '../../src/sandbox/docker/tar.ts';
import { type PackageRegistry, startPackageRegistry } from './package-registry.ts';

export interface TestPackage {
  name: string;
  version: string;
  files: Record<string, string>;
  /** More of its package.json. */
  manifest?: Record<string, unknown>;
}

export const tarball = ({ name, version, files, manifest }: TestPackage): Buffer => {
  const all = { 'package.json': JSON.stringify({ name, version, ...manifest }), ...files };
  const entries = Object.entries(all).map(([path, text]) => {
    return { path: `package/${path}`, mode: 0o644, content: Buffer.from(text) };
  });
  return gzipSync(encodeTar(entries));
};

export const pathOf = ({ name, version }: Pick<TestPackage, 'name' | 'version'>) =>
  `/${name}/-/${name.split('/').pop()}-${version}.tgz`;

export const startNpmRegistry = (packages: readonly TestPackage[]): Promise<PackageRegistry> =>
  startPackageRegistry(new Map(packages.map((each) => [pathOf(each), tarball(each)])));

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

/** What a registry says of a package. */
export function packument(each: TestPackage, url: string) {
  const { name, version, manifest } = each;
  const integrity = `sha512-${createHash('sha512').update(tarball(each)).digest('base64')}`;
  const dist = { tarball: `${url}${pathOf(each)}`, integrity };
  const versions: Record<string, unknown> = { [version]: { name, version, ...manifest, dist } };
  // Some tools take nothing that is new.
  return { name, 'dist-tags': { latest: version }, versions, time: { [version]: '2020-01-01T00:00:00.000Z' } };
}
