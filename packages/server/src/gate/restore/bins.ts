import { quote, type SandboxFile } from '../../sandbox/index.ts';

/**
 * Programs in `node_modules/.bin`, which npm finds before those of the system. A program that the agent adds there
 * could replace `node` itself. So only the buyer's stay.
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

/** The buyer's own; null if no `node_modules` is the buyer's, for then none is left at all. */
export function binsOf(originals: readonly SandboxFile[], links: readonly Link[]): Bins | null {
  if (![...originals, ...links].some(({ path }) => path.includes('node_modules'))) return null;
  return { files: originals.filter(({ path }) => inBin.test(path)), links: [...links] };
}

/** Lists these directories, also links to them; the prefix opens closed ones. */
const listing = (opening: string, own: string) =>
  `find . ${opening} ${own === '' ? '' : `'(' ${own}-false ')' -prune -o `}'(' -type l '(' -name node_modules -o -name .bin ')' -o -path '*/node_modules/.bin/*' ')' -prune -print`;

/** Removes programs that are not the buyer's. `own`: part of a `find` that is true for what is the platform's. */
export function removeAdded({ files, links }: Bins, opening: string, own: string): string {
  const kept = [...files, ...links].map(({ path }) => quote(`./${path}`));
  const keep = kept.length > 0 ? `${kept.join('|')}) ;; ` : '';
  return `${listing(opening, own)} | while IFS= read -r it; do case "$it" in ${keep}*) rm -rf "$it" ;; esac; done`;
}

/** Recreates the buyer's links; whatever replaced them has been removed. */
export const linkAgain = ({ links }: Bins): string[] =>
  links.map(({ path, target }) => `ln -s ${quote(target)} ${quote(`./${path}`)}`);
