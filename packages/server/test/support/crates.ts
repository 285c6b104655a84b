import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { encodeTar } from '../../src/sandbox/docker/tar.ts';

/** A crate as a registry has it. */
export interface TestCrate {
  name: string;
  version: string;
  files: Record<string, string>;
}

const archive = ({ name, version, files }: TestCrate): Buffer => {
  const all = { 'Cargo.toml': `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2018"\n`, ...files };
  const entries = Object.entries(all).map(([path, text]) => {
    return { path: `${name}-${version}/${path}`, mode: 0o644, content: Buffer.from(text) };
  });
  return gzipSync(encodeTar(entries));
};

export const cratePath = ({ name, version }: TestCrate) => `/${name}/${version}/download`;

export const crateFiles = (crates: readonly TestCrate[]) =>
  new Map(crates.map((each) => [cratePath(each), archive(each)]));

/** The lock of a project `shop` that needs these. */
export const cargoLock = (
  crates: readonly TestCrate[],
  source = 'registry+https://github.com/rust-lang/crates.io-index',
) => {
  const names = crates.map(({ name }) => `"${name}"`).join(', ');
  const own = `[[package]]\nname = "shop"\nversion = "1.0.0"\ndependencies = [${names}]\n`;
  const others = crates.map((each) => {
    const checksum = createHash('sha256').update(archive(each)).digest('hex');
    return `[[package]]\nname = "${each.name}"\nversion = "${each.version}"\nsource = "${source}"\nchecksum = "${checksum}"\n`;
  });
  return ['version = 3\n', ...others, own].join('\n');
};
