import { parseSyml } from '@yarnpkg/parsers';
import { type FoundWanted, isTable, type ProjectTexts, type Surroundings, textOf, without } from '../ecosystem.ts';
import { type DependencyProblem, problem } from '../problems.ts';
import { readIntegrity } from './npm-lock.ts';
import { cachePath, mirrorUrl, type OtherTool, otherTools, wantedOfOther } from './other-tools.ts';
import { faultOf, type LockedPackage } from './registry.ts';

/** yarn.lock of Yarn 1, and of Yarn 3 and 4, which is another format. */

type Entries = Record<string, Record<string, unknown>>;

export async function wantedOfYarn(project: ProjectTexts, around: Surroundings): Promise<FoundWanted> {
  const { path, text } = project.locks[0]!;
  const entries = parsed(text);
  if (entries === null) return without(problem('unreadable_lock', { path }));
  // npm takes what another tool has installed.
  const scripts = 'npm rebuild --offline --no-audit --no-fund --no-update-notifier --loglevel=error --logs-max=0';
  const { __metadata: about, ...others } = entries;
  if (about === undefined) {
    return wantedOfOther(project, around, {
      ...{ tool: otherTools.yarn1, packages: lockedByYarn1(others), text: mirrored(text), scripts },
      install: `install --frozen-lockfile --ignore-scripts --non-interactive --no-progress --cache-folder ${cachePath}`,
    });
  }
  const tool = await berryOf(project, textOf(about.version), around);
  if (tool === undefined) return without(problem('unsupported_lock', { path }));
  const found = lockedByBerry(others);
  const problems: DependencyProblem[] = [];
  await around.inTurn(found, async (locked) => {
    if (problems.length === 0) problems.push(...(await askIntegrity(locked, project, around)));
  });
  if (problems.length > 0) return without(...problems);
  return wantedOfOther(project, around, {
    ...{ tool, packages: found, text, scripts },
    // Its own changes to some packages differ between versions, so the lock may change there; another package has no way in.
    install: 'install',
    environment: {
      YARN_NPM_REGISTRY_SERVER: mirrorUrl,
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
      YARN_ENABLE_GLOBAL_CACHE: 'false',
      YARN_CACHE_FOLDER: cachePath,
      YARN_CHECKSUM_BEHAVIOR: 'throw',
      YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
      YARN_ENABLE_SCRIPTS: 'false',
      YARN_IGNORE_PATH: '1',
    },
  });
}

/** By the version of the lock: each Yarn takes no other as it is. */
const berries: Record<string, OtherTool> = {
  '6': otherTools.yarn3,
  '8': otherTools['yarn4.13'],
  '9': otherTools['yarn4.14'],
  '10': otherTools['yarn4.18'],
};

/**
 * What Yarn itself changes of some packages differs between its versions, and so do locks. So the version that the project names
 * is taken where the registry has it, else one that reads such a lock.
 */
async function berryOf(
  { manifests }: ProjectTexts,
  lockVersion: string,
  { registry, ask }: Surroundings,
): Promise<OtherTool | undefined> {
  const tool = Object.hasOwn(berries, lockVersion) ? berries[lockVersion] : undefined;
  const names =
    /"packageManager"\s*:\s*"yarn@(\d{1,3}\.\d{1,3}\.\d{1,3})\b|^yarnPath:.*\/yarn-(\d{1,3}\.\d{1,3}\.\d{1,3})\.cjs/m;
  const [, named, committed] = manifests.map(({ text }) => names.exec(text)).find((found) => found !== null) ?? [];
  const version = named ?? committed;
  if (tool === undefined || version === undefined || version === tool.version) return tool;
  const page = await ask(`${registry}/${tool.package}/${version}`, 'application/json');
  const integrity = page === null ? null : integrityIn(page.text);
  return integrity === null ? tool : { ...tool, version, integrity };
}

function parsed(text: string): Entries | null {
  try {
    const lock: unknown = parseSyml(text);
    return isTable(lock) && Object.values(lock).every(isTable) ? (lock as Entries) : null;
  } catch {
    return null;
  }
}

/** The end of an address in a registry: the package, and its file. */
const tarball = /\/((?:@[\w.~-]+(?:\/|%2[fF]))?[\w.~-]+)\/-\/(?:@[\w.~-]+\/)?[\w.~+-]+\.tgz$/;

function lockedByYarn1(entries: Entries): LockedPackage[] {
  return Object.entries(entries).flatMap(([key, each]) => {
    const [resolved, version] = [textOf(each.resolved), textOf(each.version)];
    // Of a directory of the project's own.
    if (resolved === '') return [];
    const [url = '', sha1 = ''] = resolved.split('#', 2);
    const [, name] = tarball.exec(url) ?? [];
    const older = /^[0-9a-f]{40}$/.test(sha1) ? { algorithm: 'sha1', hex: sha1 } : null;
    return {
      ...(name === undefined ? { name: key, url: 'git:' } : { name: decodeURIComponent(name), url }),
      version,
      integrity: readIntegrity(textOf(each.integrity)) ?? older,
      isOptional: false,
    };
  });
}

/** Yarn 1 asks for each address as the lock has it. */
const mirrored = (text: string) =>
  text.replace(/^( {2}resolved ")(https?:\/\/[^"#\n]+)/gm, (whole, before: string, url: string) => {
    const [, name] = tarball.exec(url) ?? [];
    const file = url.slice(url.lastIndexOf('/') + 1);
    return name === undefined ? whole : `${before}${mirrorUrl}/${decodeURIComponent(name)}/-/${file}`;
  });

interface LockedByBerry extends LockedPackage {
  /** Whether the lock has a hash of what Yarn makes of it. */
  hasChecksum: boolean;
}

const systems = { os: 'linux', cpu: process.arch, libc: 'glibc' };

function lockedByBerry(entries: Entries): LockedByBerry[] {
  return Object.values(entries).flatMap((each) => {
    const [, name, version] = /^((?:@[^@/]+\/)?[^@/]+)@npm:([^:]+)(?:::.*)?$/.exec(textOf(each.resolution)) ?? [];
    const [, archive] = /::__archiveUrl=([^&]+)/.exec(textOf(each.resolution)) ?? [];
    const [, protocol] = /^(?:@[^@/]+\/)?[^@/]+@([^:]+):/.exec(textOf(each.resolution)) ?? [];
    const isOther = Object.entries(systems).some(([kind, ours]) => {
      const named = [...textOf(each.conditions).matchAll(new RegExp(`\\b${kind}=(\\w+)`, 'g'))].map(
        ([, value]) => value,
      );
      return named.length > 0 && !named.includes(ours);
    });
    // Of the project's own, or a change to another entry.
    const hasChecksum = textOf(each.checksum) !== '';
    // Yarn fetches one for another system too where it has a hash of it.
    if ((isOther && !hasChecksum) || ['workspace', 'patch', 'link', 'portal'].includes(protocol ?? '')) return [];
    return {
      ...{ name: name ?? textOf(each.resolution).slice(0, 200), version: version ?? '' },
      ...{ url: archive === undefined ? null : decodeURIComponent(archive), integrity: null, isOptional: false },
      hasChecksum,
    };
  });
}

/**
 * Its hashes are of archives that Yarn makes itself, and compares in the sandbox. So the registry is asked for those of its own
 * files. What the lock has no hash of, as packages for one system, only the public registry may give.
 */
async function askIntegrity(
  locked: LockedByBerry,
  { locks, manifests }: ProjectTexts,
  { sourceOf, ask }: Surroundings,
): Promise<DependencyProblem[]> {
  const { path } = locks[0]!;
  const { name, version } = locked;
  const about = { path, name: `${name} ${version}` };
  const source = sourceOf(name, locked.url);
  const fault = faultOf({ ...locked, integrity: { algorithm: '', hex: '' } }, path, source);
  if (fault !== null) return [fault];
  const isElsewhere = source.isPrivate || manifests.some(({ text }) => text.includes('npmRegistryServer'));
  if (!locked.hasChecksum && isElsewhere) {
    return [problem('no_integrity', about)];
  }
  const page = await ask(`${source.url}/${name}/${version}`, 'application/json');
  if (page === null) return [problem('not_found', about)];
  locked.integrity = integrityIn(page.text);
  return [];
}

function integrityIn(text: string): LockedPackage['integrity'] {
  try {
    const { integrity, shasum } = JSON.parse(text).dist;
    const older = /^[0-9a-f]{40}$/.test(textOf(shasum)) ? { algorithm: 'sha1', hex: textOf(shasum) } : null;
    return readIntegrity(textOf(integrity)) ?? older;
  } catch {
    return null;
  }
}
