import type { SandboxFileContent } from '../../../sandbox/index.ts';
import { type Change, isBinary, modeOf } from './changes.ts';

/** Which texts of the changes are compared, as far as there is room. */

/** The longest file whose text is compared. */
export const maxFileBytes = 512 * 1024;
/** Text of both sides that is compared. */
const maxTextBytes = 8 * 1024 ** 2;
/** Files that are fetched separately, because they changed beyond the part in the snapshot. */
const maxFetched = 100;

/** A file of the sandbox; null if it cannot be read: removed since, closed, or with a name that cannot be written. */
export type Content = Pick<SandboxFileContent, 'content' | 'encoding'> | null;

export interface TextPair {
  index: number;
  path: string;
  /** Null: it is not there. */
  before: { text: string; mode: string } | null;
  after: { text: string; mode: string } | null;
}

const sizeOf = ({ before, after }: Change) => (before?.content.length ?? 0) + (after?.sizeBytes ?? 0);

/**
 * The texts to compare, in order, and the changes that are no text. Small changes come first, because people make
 * those. Files that tools leave must not use up the room.
 */
export async function pairsOf(changes: readonly Change[], fetch: (path: string) => Promise<Content>) {
  const order = changes.map((_, index) => index).sort((a, b) => sizeOf(changes[a]!) - sizeOf(changes[b]!));
  const pairs: TextPair[] = [];
  const binary: number[] = [];
  let room = maxTextBytes;
  let fetched = 0;
  for (const index of order) {
    const { path, before, after } = changes[index]!;
    const fetches = isFetchable(after) && fetched < maxFetched && sizeOf(changes[index]!) <= room;
    if (fetches) fetched += 1;
    const now = fetches ? bytesOf(await fetch(path)) : after?.content;
    if ([before?.content, now].some((content) => content && isBinary(content))) binary.push(index);
    else if ((!after || now) && (before?.content.length ?? 0) <= maxFileBytes) {
      room -= (before?.content.length ?? 0) + (now?.length ?? 0);
      if (room < 0) break;
      pairs.push({ index, path, before: side(before, before?.content), after: side(after, now) });
    }
  }
  return { pairs, binary };
}

const bytesOf = (found: Content) => (found === null ? undefined : Buffer.from(found.content, found.encoding));

const side = (entry: Parameters<typeof modeOf>[0] | undefined, content: Buffer | undefined) =>
  entry && content ? { text: content.toString('utf8'), mode: modeOf(entry) } : null;

const isFetchable = (after: Change['after']): boolean =>
  after?.type === 'file' && after.content === undefined && after.sizeBytes <= maxFileBytes;
