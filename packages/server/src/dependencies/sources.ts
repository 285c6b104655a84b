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
  // One may lie below another; files of a registry may lie beside it.
  const longestFirst = [...own].sort((a, b) => b.url.length - a.url.length);
  function ownerOf(address: string): PrivateRegistry | null {
    if (!URL.canParse(address)) return null;
    const { origin } = new URL(address);
    const near = longestFirst.filter(({ url }) => new URL(url).origin === origin);
    return near.find(({ url }) => address === url || address.startsWith(`${url}/`)) ?? near[0] ?? null;
  }
  return {
    ownerOf,
    sourceOf(name, at = null) {
      const found = own.find(({ packages }) => packages.some((each) => isNamed(name, each)));
      const source = found ?? (at === null ? null : ownerOf(at));
      return { url: source?.url ?? registry, isPrivate: source !== null };
    },
  };
}

const isNamed = (name: string, pattern: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
