/** Gemfile.lock: the gems of a project, for each system that it was written for, with their hashes. */

export interface LockedGem {
  name: string;
  version: string;
  /** Empty for one that every system takes. */
  platform: string;
}

export interface GemLock {
  gems: (LockedGem & { remotes: string[] })[];
  /** Names of gems that come from no registry, as those of Git. */
  foreign: string[];
  /** SHA-256 in hex, by the full names of gems. Bundler writes them since 2.6. */
  hashes: Map<string, string>;
}

/** As registries name its files. */
export const fullName = ({ name, version, platform }: LockedGem) =>
  [name, version, ...(platform === '' ? [] : [platform])].join('-');

/** What becomes part of an address. */
const gemPattern = /^ *([A-Za-z0-9_][\w.-]{0,100}) \((\d[\w.]{0,60})(?:-([\w.-]{1,60}))?\)(?: (\S{1,2000}))?$/;

/** Sections of gems, and how far their names stand from the left. What gems need stands further. */
const gemLine: Record<string, RegExp> = {
  ...{ GEM: /^ {4}\S/, GIT: /^ {4}\S/, 'PLUGIN SOURCE': /^ {4}\S/ },
  CHECKSUMS: /^ {2}\S/,
};

/** Null for what Bundler has not written. Gems of a path are the project's own. */
export function readGemLock(text: string): GemLock | null {
  const lock: GemLock = { gems: [], foreign: [], hashes: new Map() };
  const sections = text.split(/\r?\n(?=\S)/).map((section) => section.split(/\r?\n/));
  for (const [title = '', ...lines] of sections) {
    if (!/^[A-Z][A-Z ]*$/.test(title)) return null;
    const isGem = Object.hasOwn(gemLine, title) ? gemLine[title]! : null;
    if (isGem === null) continue;
    const remotes = lines.flatMap((line) => /^ {2}remote: (.+)$/.exec(line)?.[1] ?? []);
    for (const line of lines.filter((each) => isGem.test(each))) {
      const [, name, version = '', platform = '', hashes = ''] = gemPattern.exec(line) ?? [];
      if (name === undefined) return null;
      const gem = { name, version, platform };
      const [, hash] = /(?:^|,)sha256=([0-9a-f]{64})(?:,|$)/.exec(hashes) ?? [];
      if (title === 'GEM') lock.gems.push({ ...gem, remotes });
      else if (title !== 'CHECKSUMS') lock.foreign.push(`${name} ${version}`);
      else if (hash !== undefined) lock.hashes.set(fullName(gem), hash);
    }
  }
  return lock;
}

/** Of each gem the one that is made for this system, or else for every one; a gem that is neither comes in `others`. */
export function gemsFor<G extends LockedGem>(gems: readonly G[], system: string): { chosen: G[]; others: G[] } {
  const plain = system.replace(/-musl$/, '');
  const order = ['', plain, ...(plain === system ? [`${plain}-gnu`] : []), system];
  const rank = ({ platform }: LockedGem) => order.lastIndexOf(platform);
  const best = new Map<string, G>();
  for (const gem of gems) {
    const other = best.get(gem.name);
    if (other === undefined || rank(gem) > rank(other)) best.set(gem.name, gem);
  }
  const all = [...best.values()];
  return { chosen: all.filter((gem) => rank(gem) >= 0), others: all.filter((gem) => rank(gem) < 0) };
}

/** The hashes in the answer of a registry's compact index, by version and platform. */
export function hashesIn(answer: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of answer.split('\n')) {
    const [, version, hash] = /^(\S{1,130}) .*?[|,]checksum:([0-9a-f]{64})(?:,|$)/.exec(line) ?? [];
    if (version !== undefined && hash !== undefined) found.set(version, hash);
  }
  return found;
}
