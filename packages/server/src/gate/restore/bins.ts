import type { SandboxFile } from '../../sandbox/index.ts';

/**
 * Programs in `node_modules/.bin`, which npm finds before those of the system: what the agent adds there could stand in
 * for `node` itself. Only those that the buyer supplied are left.
 */

/** A symbolic link of the buyer's. */
export interface Link {
  path: string;
  target: string;
}

export interface Bins {
  files: SandboxFile[];
  links: Link[];
}

const inBin = /(?:^|\/)node_modules\/\.bin\/[^/]+$/;
const place = /(?:^|\/)(?:node_modules|\.bin)$/;

/** Whether a link decides which program is started. */
export const isBinLink = (path: string) => inBin.test(path) || place.test(path);

/** The buyer's own; null where no `node_modules` is the buyer's, for then none is left at all. */
export function binsOf(originals: readonly SandboxFile[], links: readonly Link[]): Bins | null {
  if (![...originals, ...links].some(({ path }) => path.includes('node_modules'))) return null;
  return { files: originals.filter(({ path }) => inBin.test(path)), links: [...links] };
}

/** Lists what stands there, links to such directories included; prefixed by what opens closed ones. */
const listing = (opening: string) =>
  `find . ${opening} '(' -type l '(' -name node_modules -o -name .bin ')' -o -path '*/node_modules/.bin/*' ')' -prune -print`;

/** Removes what is not the buyer's. */
export function removeAdded({ files, links }: Bins, opening: string, quote: (text: string) => string): string {
  const kept = [...files, ...links].map(({ path }) => quote(`./${path}`));
  const keep = kept.length > 0 ? `${kept.join('|')}) ;; ` : '';
  return `${listing(opening)} | while IFS= read -r it; do case "$it" in ${keep}*) rm -rf "$it" ;; esac; done`;
}

/** Makes the buyer's links again; what stood in their place has been removed. */
export const linkAgain = ({ links }: Bins, quote: (text: string) => string): string[] =>
  links.map(({ path, target }) => `ln -s ${quote(target)} ${quote(`./${path}`)}`);
