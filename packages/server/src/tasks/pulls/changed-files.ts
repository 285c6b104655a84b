import { type ArchiveEntry, encodeArchive, readArchive } from '../../sandbox/archive.ts';
import { noneLeftOut, type Selected } from './select.ts';

/** The changes of a delivery as they are stored: an archive of the files, and of one entry with the rest. */

const home = 'files/';
const rest = 'rest';

export const encodeChanges = ({ files, ...others }: Selected): Promise<Buffer<ArrayBuffer>> => {
  const content = Buffer.from(JSON.stringify(others));
  const entries: ArchiveEntry[] = [{ type: 'file', path: rest, mode: 0o644, modifiedMs: 0, content }];
  return encodeArchive([...entries, ...files.map((file) => ({ ...file, path: home + file.path }))]);
};

export function decodeChanges(stored: Buffer): Selected {
  const [first, ...files] = readArchive(stored);
  const others = JSON.parse(first?.content.toString('utf8') ?? '') as Omit<Selected, 'files'>;
  const leftOut = { ...noneLeftOut, ...others.leftOut };
  return { ...others, leftOut, files: files.map((file) => ({ ...file, path: file.path.slice(home.length) })) };
}
