import type { PrivateRegistry } from './private-registries/registries.ts';

/** A registry that packages come from. */
export interface Source {
  /** Without a slash at the end. */
  url: string;
  /** The owner's own, which takes a token. */
  isPrivate: boolean;
}

export interface Sources {
  /**
   * Where a package comes from: the owner's own registry that is for its name, or the one at which the lockfile says that it
   * lies (`at`, an address in it); else the server's.
   */
  sourceOf(name: string, at?: string | null): Source;
  /** The owner's own registry that this address belongs to; null for what needs no token. */
  ownerOf(address: string): PrivateRegistry | null;
}

/** `registry`: the server's. `own`: of the same kind. */
export function openSources(registry: string, own: readonly PrivateRegistry[]): Sources {
  /** In the order of `all`, the one with which the address has most of its path in common; null where none has its host. */
  const nearest = (address: string, all: readonly string[]): string | null => {
    const at = partsOf(address);
    const near = all.filter((url) => partsOf(url)[0] === at[0]);
    const shared = (url: string) => {
      const parts = partsOf(url);
      const end = parts.findIndex((part, place) => part !== at[place]);
      return end < 0 ? parts.length : end;
    };
    return near.reduce<string | null>((best, url) => (best === null || shared(url) > shared(best) ? url : best), null);
  };
  // Files of a registry may lie beside it.
  const ownerOf: Sources['ownerOf'] = (address) => {
    if (!URL.canParse(address)) return null;
    const found = nearest(
      address,
      [registry, ...own.map(({ url }) => url)].filter((url) => URL.canParse(url)),
    );
    return own.find(({ url }) => url === found) ?? null;
  };
  const above = (at: string) => {
    if (!URL.canParse(at)) return null;
    const parts = partsOf(at);
    const all = own.filter(({ url }) => partsOf(url).every((part, place) => part === parts[place]));
    return all.sort((a, b) => b.url.length - a.url.length)[0] ?? null;
  };
  return {
    ownerOf,
    sourceOf(name, at = null) {
      const found = own.find(({ packages }) => packages.some((each) => isNamed(name, each)));
      const source = found ?? (at === null ? null : above(at));
      return { url: source?.url ?? registry, isPrivate: source !== null };
    },
  };
}

const isNamed = (name: string, pattern: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** The host, and the parts of the path, of an address in any way of writing it. */
function partsOf(address: string): string[] {
  const { origin, pathname } = new URL(address);
  return [origin, ...pathname.split('/').filter(Boolean)];
}
