import { posix } from 'node:path';
import {
  type Ecosystem,
  type FoundWanted,
  giveManifests,
  isTable,
  type ProjectTexts,
  projectsBeside,
  type Surroundings,
  type TextFile,
  type Wanted,
  without,
} from '../ecosystem.ts';
import { fileEntry } from '../entries.ts';
import { type DependencyProblem, problem } from '../problems.ts';
import { type LockedPackage, parsed, readComposerLock } from './lock.ts';

const manifestName = 'composer.json';

/** Projects with a composer.lock, whose packages become `vendor`. */
export const php: Ecosystem = {
  registry: 'composer',
  projectsIn(files) {
    const found = projectsBeside(files, {
      ...{ lock: 'composer.lock', manifest: manifestName },
      vendored: /^(?:(.+)\/)?vendor\/(?:autoload\.php$|composer\/)/,
      dependency: /"require(?:-dev)?"\s*:\s*\{[^{}]*\//,
    });
    giveManifests(
      found.projects,
      files.filter(({ path }) => posix.basename(path) === manifestName && !/(?:^|\/)vendor\//.test(path)),
    );
    return found;
  },
  versions: `php -r 'echo "php ", PHP_VERSION, "\\n";'; composer --version --no-ansi; command -v unzip || php -m | grep -x zip`,
  wantedOf,
  // Others commit a directory of this name: it is one of packages only where they were installed.
  layeredAt: () => null,
};

/** Composer's own scripts and plugins could need any file of the project. */
const install = 'composer install --no-plugins --no-scripts --no-interaction --no-progress --no-ansi --prefer-dist';
/** For git, the directory is no part of the project. */
const unlisted = `echo '*' > vendor/.gitignore`;

function wantedOf({ directory, locks: [lock], manifests }: ProjectTexts, around: Surroundings): FoundWanted {
  const { versions } = around;
  const { path, text } = lock!;
  const hasTools = /^php \d/m.test(versions) && /^Composer (?:version )?2\./m.test(versions) && /zip$/m.test(versions);
  if (!hasTools) return without(problem('no_tool', { path, name: 'php with composer 2 and unzip' }));
  const read = readComposerLock(text);
  const own = posix.join(directory, manifestName);
  const root = parsed(manifests.find((each) => each.path === own)?.text ?? '');
  if (read === null || root === null) return without(problem('unreadable_lock', { path: read === null ? path : own }));
  const problems: DependencyProblem[] = [];
  const wanted = new Map<string, Wanted>();
  for (const locked of read.packages) {
    const found = archiveOf(locked, path, around);
    if ('reason' in found) problems.push(found);
    else wanted.set(locked.name, found);
  }
  if (problems.length > 0 || wanted.size === 0) return without(...problems);
  const placeOf = (name: string) => {
    const place = wanted.get(name)?.place;
    return place === undefined ? undefined : `file:///input/${place}`;
  };
  const others = manifests.filter((each) => each.path !== own);
  return {
    ...{ problems, wanted: [...wanted.values()], made: [posix.join(directory, 'vendor')] },
    manifests: [
      ...others.map((each: TextFile) => fileEntry(each.path, each.text)),
      fileEntry(own, JSON.stringify(forInstaller(root))),
      fileEntry(path, read.textWith(placeOf)),
    ],
    commands: [{ command: `${install} && ${unlisted}`, failure: 'install_failed' }],
  };
}

/** As GitHub has an archive of a commit; both hosts send the same. */
const atGitHub =
  /^https:\/\/(?:api\.github\.com\/repos\/(\w[\w.-]{0,99})\/(\w[\w.-]{0,99})\/zipball|codeload\.github\.com\/(\w[\w.-]{0,99})\/(\w[\w.-]{0,99})\/legacy\.zip)\/([0-9a-f]{40})$/;

/**
 * The lock has no hash of what GitHub sends, only the commit. So the registry is believed, as Composer does; other commits, and
 * files that Git has not made, are refused.
 */
function archiveOf(
  { name, version, url, type, hash, commit }: LockedPackage,
  path: string,
  { registry, ownerOf }: Surroundings,
): Wanted | DependencyProblem {
  const about = { path, name: `${name} ${version}` };
  const isPlain = /^[a-z0-9][\w.-]{0,100}\/[a-z0-9][\w.-]{0,100}$/i.test(name) && /^(?:zip|tar)$/.test(type);
  const place = URL.canParse(url) ? new URL(url) : null;
  if (!isPlain || url.length > 1_000 || !/^https?:$/.test(place?.protocol ?? '')) {
    return problem('not_from_registry', about);
  }
  const [, owner, repository, owner2 = owner, repository2 = repository, named] = atGitHub.exec(url) ?? [];
  const common = { name: about.name, lock: path, isOptional: false };
  if (named !== undefined) {
    const integrity = hash === null ? { algorithm: 'git-zip', hex: named } : { algorithm: 'sha1', hex: hash };
    if (commit !== named) return problem('no_integrity', about);
    const file = `${owner2}/${repository2}/legacy.zip/${named}`;
    return { ...common, url: `${registry}/${file}`, integrity, place: `composer/${named}-${repository2}.zip` };
  }
  // The operator's host may have more than packages.
  const isKnown = place!.href.startsWith(`${registry}/`) || ownerOf(url) !== null;
  if (!isKnown) return problem('unknown_registry', { ...about, from: place!.host });
  if (hash === null) return problem('no_integrity', about);
  return { ...common, url, integrity: { algorithm: 'sha1', hex: hash }, place: `composer/${hash}.${type}` };
}

/**
 * What says where the project's own classes lie, and which packages it needs. A `classmap` cannot be made without the files;
 * settings could name other places for packages.
 */
function forInstaller(root: Record<string, unknown>): Record<string, unknown> {
  const config = isTable(root.config) ? root.config : {};
  const autoload = (value: unknown) => (isTable(value) ? { ...value, classmap: [], 'exclude-from-classmap': [] } : {});
  return {
    ...{ name: root.name, type: root.type, version: root.version },
    ...{ require: root.require, 'require-dev': root['require-dev'], conflict: root.conflict },
    ...{ replace: root.replace, provide: root.provide },
    ...{ autoload: autoload(root.autoload), 'autoload-dev': autoload(root['autoload-dev']) },
    config: { platform: config.platform, 'platform-check': config['platform-check'], 'allow-plugins': false },
    repositories: [{ 'packagist.org': false }],
  };
}
