import type { ArchiveEntry } from '../../sandbox/archive.ts';
import { type Attribute, type Attributes, attributesIn } from './attributes.ts';

/**
 * From files of a work tree back to the blobs that `git add` makes of them: the other way round of what `layout.ts` has Git
 * do, by `.gitattributes` alone, because no setting of a machine counts. The rules are those of Git's convert.c.
 */

/** What the files of a cloned tree do not show of its commit: paths. */
export interface TreeFacts {
  /** Whether or not they were cloned too. */
  submodules: string[];
  /** Of Git LFS, whether or not their contents could be had. */
  largeFiles: string[];
  /** Of those that a checkout writes with CRLF, the ones whose blobs have some already. */
  crlf: string[];
}

/** The tree of a commit as a clone laid it out. */
export interface BaseTree {
  /** By path, without directories. */
  entries: ReadonlyMap<string, ArchiveEntry>;
  /** Its `.gitattributes` by their directory ('' or ending in /). */
  attributes: ReadonlyMap<string, Buffer>;
  facts: TreeFacts;
}

interface Cleaner {
  /** Whether Git LFS keeps the content, so that its blob is a pointer. */
  isLarge(path: string): boolean;
  /** The blob of a regular file; null where it is not in the encoding that its attributes name. */
  blobOf(path: string, content: Buffer): Buffer | null;
}

/** For files of the tree of a commit, and for those that are to become the next one, with attributes of their own. */
export function createCleaners(
  { entries, attributes, facts }: BaseTree,
  delivered: ReadonlyMap<string, Buffer>,
): { before: Cleaner; after: Cleaner } {
  const attributesBefore = attributesIn(attributes);
  const crlf = new Set(facts.crlf);
  /** Where Git guesses that a file is text, it leaves a blob that has CRLF as it is. */
  const hadCrlf = (path: string): boolean => {
    const { type, content = Buffer.alloc(0) } = entries.get(path) ?? {};
    const given = attributesBefore(path);
    if (type !== 'file' || given.get('eol') === 'crlf') return crlf.has(path);
    const { crlf: count, isBinary } = statsOf(inUtf8(content, given.get('working-tree-encoding')) ?? content);
    return count > 0 && !isBinary;
  };
  const cleaner = (attributesOf: (path: string) => Attributes): Cleaner => ({
    isLarge: (path) => attributesOf(path).get('filter') === 'lfs',
    blobOf(path, content) {
      const given = attributesOf(path);
      const utf8 = inUtf8(content, given.get('working-tree-encoding'));
      if (utf8 === null) return null;
      const lines = withLf(utf8, textOf(given), () => hadCrlf(path));
      return given.get('ident') === true ? withoutIds(lines) : lines;
    },
  });
  return { before: cleaner(attributesBefore), after: cleaner(attributesIn(delivered)) };
}

type Text = 'text' | 'guessed' | 'binary';

/** The older attribute `crlf` counts where `text` says nothing, and `eol` makes a text where neither does. */
function textOf(attributes: Attributes): Text {
  for (const name of ['text', 'crlf']) {
    const value = attributes.get(name);
    if (value === true || value === 'input') return 'text';
    if (value === false) return 'binary';
    if (value === 'auto') return 'guessed';
  }
  return ['lf', 'crlf'].includes(attributes.get('eol') as string) ? 'text' : 'binary';
}

/** A guess takes away every CR: it has found no other than those of CRLF. */
function withLf(content: Buffer, text: Text, hadCrlf: () => boolean): Buffer {
  if (text === 'binary' || !content.includes('\r\n')) return content;
  if (text === 'guessed' && (statsOf(content).isBinary || hadCrlf())) return content;
  return Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}

/** What Git counts to tell text from what is none. */
function statsOf(content: Buffer): { crlf: number; isBinary: boolean } {
  let [crlf, printable, others] = [0, 0, 0];
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at] as number;
    if (byte === 0) return { crlf, isBinary: true };
    if (byte === 0x0d) {
      if (content[at + 1] !== 0x0a) return { crlf, isBinary: true };
      crlf += 1;
      at += 1;
    } else if (byte === 0x0a) continue;
    else if (byte === 0x7f || (byte < 0x20 && ![0x08, 0x09, 0x0c, 0x1b].includes(byte))) others += 1;
    else printable += 1;
  }
  // The end of a file in DOS.
  if (content.at(-1) === 0x1a) others -= 1;
  return { crlf, isBinary: printable >> 7 < others };
}

/** `$Id: … $` of one line as `$Id$`. */
const withoutIds = (content: Buffer): Buffer =>
  content.includes('$Id:')
    ? Buffer.from(content.toString('latin1').replace(/\$Id:[^$\n]*\$/g, '$$Id$$'), 'latin1')
    : content;

/**
 * Of UTF-16 in no order Git wants a mark that says it, and of UTF-16 in one it wants no mark. Node has neither Latin-1, for
 * which it takes another, nor UTF-32.
 */
function inUtf8(content: Buffer, encoding: Attribute | undefined): Buffer | null {
  if (typeof encoding !== 'string' || encoding === '' || content.length === 0) return content;
  const name = encoding.toLowerCase().replace(/^utf-?/, 'utf-');
  if (name === 'utf-8') return content;
  if (/^(?:iso[-_]?8859-1|latin-?1)$/.test(name)) return Buffer.from(content.toString('latin1'));
  const order = ({ fffe: 'utf-16le', feff: 'utf-16be' } as Record<string, string>)[content.toString('hex', 0, 2)];
  if (name === 'utf-16') return order === undefined ? null : decoded(content.subarray(2), order);
  if (name === 'utf-16le' || name === 'utf-16be') return order === undefined ? decoded(content, name) : null;
  if (name === 'utf-16le-bom') return decoded(content.subarray(order === undefined ? 0 : 2), order ?? 'utf-16le');
  return decoded(content, name);
}

function decoded(content: Buffer, encoding: string): Buffer | null {
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content));
  } catch {
    return null;
  }
}
