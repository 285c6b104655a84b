import { createHash } from 'node:crypto';
import { zip } from './zip.ts';

/** A package of PHP as GitHub has it. */
export interface TestPhpPackage {
  name: string;
  version: string;
  files: Record<string, string>;
  manifest?: Record<string, unknown>;
  /** Whether the lock has a hash of it. */
  shasum?: boolean;
}

const sha1 = (content: string | Buffer) => createHash('sha1').update(content).digest('hex');
/** Of a commit that nobody has made. */
const commitOf = ({ name, version }: TestPhpPackage) => sha1(`${name} ${version}`);

const archives = new Map<TestPhpPackage, Buffer>();

function archive(each: TestPhpPackage): Buffer {
  const known = archives.get(each);
  if (known) return known;
  const all = { 'composer.json': JSON.stringify({ name: each.name, ...each.manifest }), ...each.files };
  const top = each.name.replace('/', '-');
  const files = Object.fromEntries(Object.entries(all).map(([path, text]) => [`${top}/${path}`, text]));
  const made = zip(files, commitOf(each));
  archives.set(each, made);
  return made;
}

export const composerPath = (each: TestPhpPackage) => `/${each.name}/legacy.zip/${commitOf(each)}`;

/** Below `/input` of the sandbox where it is installed. */
export const inputOf = (each: TestPhpPackage) => `composer/${commitOf(each)}-${each.name.split('/')[1]}.zip`;

export const composerFiles = (packages: readonly TestPhpPackage[]) =>
  new Map(packages.map((each) => [composerPath(each), archive(each)]));

const locked = (each: TestPhpPackage) => ({
  ...{ name: each.name, version: each.version, type: 'library', ...each.manifest },
  source: { type: 'git', url: `https://github.com/${each.name}.git`, reference: commitOf(each) },
  dist: {
    ...{ type: 'zip', url: `https://api.github.com/repos/${each.name}/zipball/${commitOf(each)}` },
    ...{ reference: commitOf(each), shasum: each.shasum ? sha1(archive(each)) : '' },
  },
});

export const composerLock = (packages: readonly TestPhpPackage[], forTests: readonly TestPhpPackage[] = []) =>
  JSON.stringify({
    'content-hash': '0'.repeat(32),
    ...{ packages: packages.map(locked), 'packages-dev': forTests.map(locked) },
    ...{ aliases: [], 'minimum-stability': 'stable', 'stability-flags': [], 'prefer-stable': false },
    ...{ platform: [], 'platform-dev': [], 'plugin-api-version': '2.3.0' },
  });
