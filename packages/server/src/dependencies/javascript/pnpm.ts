import { parseAllDocuments } from 'yaml';
import { type FoundWanted, isTable, type ProjectTexts, type Surroundings, textOf, without } from '../ecosystem.ts';
import { problem } from '../problems.ts';
import { fits, readIntegrity } from './npm-lock.ts';
import { cachePath, mirrorUrl, otherTools, wantedOfOther } from './other-tools.ts';
import type { LockedPackage } from './registry.ts';

/** pnpm-lock.yaml of the versions 6 and 9 of its format. */

const install = [
  `install --frozen-lockfile --ignore-scripts --registry=${mirrorUrl}/`,
  '--package-import-method=hardlink --reporter=append-only --config.confirmModulesPurge=false',
].join(' ');

export function wantedOfPnpm(project: ProjectTexts, around: Surroundings): FoundWanted {
  const { path, text } = project.locks[0]!;
  const read = readPnpmLock(text);
  if (read === null) return without(problem('unreadable_lock', { path }));
  if (read.format === null) return without(problem('unsupported_lock', { path }));
  const tool = read.format === '6' ? otherTools.pnpm8 : otherTools[namesPnpm9(project) ? 'pnpm9' : 'pnpm10'];
  return wantedOfOther(project, around, {
    ...{ tool, packages: read.packages, text, install },
    environment: { npm_config_store_dir: cachePath },
    scripts: 'node $tool rebuild --recursive --reporter=append-only',
  });
}

const namesPnpm9 = ({ manifests }: ProjectTexts) =>
  manifests.some(({ text }) => /"packageManager"\s*:\s*"pnpm@9\./.test(text));

/** Null for what is no lock of pnpm. The format is null where it is another than those two. */
function readPnpmLock(text: string): { packages: LockedPackage[]; format: '6' | '9' | null } | null {
  const lock = lastDocument(text);
  if (lock === null) return null;
  const [format] = /^[69](?=\.)/.exec(String(lock.lockfileVersion)) ?? [];
  if (format !== '6' && format !== '9') return { packages: [], format: null };
  const snapshots = isTable(lock.snapshots) ? lock.snapshots : {};
  /** Of the newer format; a package may be there several times, for each set of its peers. */
  const needed = new Set<string>();
  for (const [key, each] of Object.entries(snapshots)) {
    if (!isTable(each) || each.optional !== true) needed.add(key.split('(')[0]!);
  }
  const packages: LockedPackage[] = [];
  for (const [key, each] of Object.entries(isTable(lock.packages) ? lock.packages : {})) {
    if (!isTable(each) || !fits(each)) continue;
    const [plain = ''] = key.replace(/^\//, '').split('(');
    const at = plain.indexOf('@', 1);
    const resolution = isTable(each.resolution) ? each.resolution : {};
    // A package of the project's own, by its directory.
    if (resolution.directory !== undefined) continue;
    const isForeign = resolution.tarball === undefined && resolution.integrity === undefined;
    packages.push({
      ...{ name: plain.slice(0, at), version: plain.slice(at + 1) },
      url: isForeign ? 'git:' : textOf(resolution.tarball) || null,
      integrity: readIntegrity(textOf(resolution.integrity)),
      isOptional: each.optional === true || (format === '9' && !needed.has(plain)),
    });
  }
  return { packages, format };
}

/** Newer versions of pnpm write what they need themselves before it. A lock has no aliases, which could make little text much. */
function lastDocument(text: string): Record<string, unknown> | null {
  try {
    const documents = parseAllDocuments(text);
    const lock: unknown = 'empty' in documents ? null : documents.at(-1)?.toJS({ maxAliasCount: 0 });
    return isTable(lock) && lock.lockfileVersion !== undefined ? lock : null;
  } catch {
    return null;
  }
}
