import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { encodeTar } from '../../src/sandbox/docker/tar.ts';

/** A gem as a registry has it. */
export interface TestGem {
  name: string;
  version: string;
  platform?: string;
  files: Record<string, string>;
  /** Files in `bin`. */
  executables?: string[];
  extensions?: string[];
  /** Names of other gems, in any version. */
  requires?: string[];
}

const tar = (files: Record<string, string | Buffer>) =>
  encodeTar(Object.entries(files).map(([path, text]) => ({ path, mode: 0o755, content: Buffer.from(text) })));

const list = (names: readonly string[] = []) => JSON.stringify(names);

const archive = ({ files, requires = [], ...gem }: TestGem): Buffer => {
  const any =
    '!ruby/object:Gem::Requirement\n  requirements:\n  - - ">="\n    - !ruby/object:Gem::Version\n      version: "0"';
  const about = [
    '--- !ruby/object:Gem::Specification',
    `name: ${gem.name}`,
    `version: !ruby/object:Gem::Version\n  version: ${gem.version}`,
    `platform: ${gem.platform ?? 'ruby'}`,
    'specification_version: 4\nauthors: ["made"]\nsummary: made\nbindir: bin\nrequire_paths: ["lib"]',
    `executables: ${list(gem.executables)}\nextensions: ${list(gem.extensions)}\nfiles: ${list(Object.keys(files))}`,
    `required_ruby_version: ${any}`,
    `dependencies:${requires.length === 0 ? ' []' : ''}`,
    ...requires.map((name) => {
      const needs = any.replaceAll('\n', '\n  ');
      return `- !ruby/object:Gem::Dependency\n  name: ${name}\n  requirement: ${needs}\n  type: :runtime\n  prerelease: false`;
    }),
  ];
  return tar({ 'metadata.gz': gzipSync(`${about.join('\n')}\n`), 'data.tar.gz': gzipSync(tar(files)) });
};

const versionOf = ({ version, platform }: TestGem) => (platform === undefined ? version : `${version}-${platform}`);

export const gemPath = (gem: TestGem) => `/gems/${gem.name}-${versionOf(gem)}.gem`;

const sha256 = (gem: TestGem) => createHash('sha256').update(archive(gem)).digest('hex');

/** With the page of each name in the compact index. */
export function gemFiles(gems: readonly TestGem[]): Map<string, Buffer | string> {
  const pages = new Map<string, string>();
  for (const gem of gems) {
    const needs = (gem.requires ?? []).map((name) => `${name}:>= 0`).join(',');
    const line = `${versionOf(gem)} ${needs}|checksum:${sha256(gem)},ruby:>= 0\n`;
    const path = `/info/${gem.name}`;
    pages.set(path, `${pages.get(path) ?? '---\n'}${line}`);
  }
  return new Map<string, Buffer | string>([...gems.map((gem) => [gemPath(gem), archive(gem)] as const), ...pages]);
}

interface LockOptions {
  /** Of the project's own gem. */
  own?: string;
  /** Names of the gems that the project needs itself. */
  needs?: string[];
  remote?: string;
  /** As Bundler writes them since 2.6. */
  hasHashes?: boolean;
}

export function gemLock(
  gems: readonly TestGem[],
  { own, needs = [], remote = 'https://rubygems.org/', hasHashes = true }: LockOptions = {},
): string {
  const specs = gems.flatMap((gem) => [
    `    ${gem.name} (${versionOf(gem)})`,
    ...(gem.requires ?? []).map((name) => `      ${name}`),
  ]);
  const hashes = gems.map((gem) => `  ${gem.name} (${versionOf(gem)}) sha256=${sha256(gem)}`);
  const sections = [
    ...(own === undefined
      ? []
      : [['PATH', '  remote: .', '  specs:', `    ${own}`, ...needs.map((name) => `      ${name}`)]]),
    ['GEM', `  remote: ${remote}`, '  specs:', ...specs],
    ['PLATFORMS', '  ruby', '  x86_64-linux'],
    ['DEPENDENCIES', ...(own === undefined ? needs.map((name) => `  ${name}`) : [`  ${own.split(' ')[0]}!`])],
    ...(hasHashes ? [['CHECKSUMS', ...hashes]] : []),
    ['BUNDLED WITH', hasHashes ? '   2.6.2' : '   2.3.7'],
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
