import { urlProblem } from '../../platform/outbound/index.ts';
import { type ArchiveEntry, encodeArchive, pathOf, readArchive } from '../../sandbox/index.ts';
import type { Laid } from './layout.ts';

/** Repositories in repositories, as deep as this and so many in all; others stay empty directories. */
export const submoduleLimits = { depth: 3, count: 20 } as const;

const maxUrlChars = 2_048;
/** Links of one tree that are looked at; beyond them nothing is told. */
const maxLinks = 1_000;

export interface Submodule {
  /** In its parent. */
  path: string;
  /** Null where the parent names none. */
  url: string | null;
  commit: string;
}

/** The submodules of a tree, by its links and its .gitmodules. Beside a bundle, which is nowhere, lies none. */
export function submodulesOf({ gitlinks, modules }: Laid, parentUrl: string | null): Submodule[] {
  const byName = new Map<string, { path?: string; url?: string }>();
  for (const line of modules) {
    const [, name, key, value] = /^submodule\.([\s\S]*)\.(path|url)\n([\s\S]*)$/.exec(line) ?? [];
    if (name === undefined || key === undefined) continue;
    byName.set(name, { ...byName.get(name), [key]: value });
  }
  const urls = new Map([...byName.values()].map(({ path, url }) => [path, url]));
  return gitlinks.slice(0, maxLinks).map(({ path, commit }) => {
    const url = urls.get(path);
    return {
      path: pathOf(Buffer.from(path, 'latin1')),
      url: url === undefined ? null : resolved(url, parentUrl),
      commit,
    };
  });
}

/** As Git does: beside the parent, whose address it takes for a directory. */
function resolved(url: string, parentUrl: string | null): string {
  const isRelative = url.startsWith('./') || url.startsWith('../');
  if (!isRelative || parentUrl === null) return url;
  const parent = parentUrl.endsWith('/') ? parentUrl : `${parentUrl}/`;
  return URL.canParse(url, parent) ? new URL(url, parent).href : url;
}

/** Why an address can never be cloned, in words; null where it may be. */
export const submoduleProblem = (url: string | null, allowLoopback: boolean): string | null => {
  if (url === null) return 'its address is not in .gitmodules';
  if (url.length > maxUrlChars) return 'its address is too long';
  const problem = urlProblem(url, { allowLoopback });
  return problem && `its address ${problem}`;
};

/** The archive of a tree with those of its submodules in their places. */
export function mounted(tree: Buffer, parts: readonly { path: string; archive: Buffer }[]): Promise<Buffer> {
  return parts.length === 0 ? Promise.resolve(tree) : encodeArchive(together(tree, parts));
}

function* together(tree: Buffer, parts: readonly { path: string; archive: Buffer }[]): Generator<ArchiveEntry> {
  yield* readArchive(tree);
  for (const { path, archive } of parts) {
    for (const entry of readArchive(archive)) yield { ...entry, path: `${path}/${entry.path}` };
  }
}
