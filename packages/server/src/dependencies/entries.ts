import { type ArchiveEntry, encodeArchive } from '../sandbox/archive.ts';

export { type ArchiveEntry, encodeArchive };

export const fileEntry = (path: string, content: string | Buffer): ArchiveEntry => ({
  ...{ type: 'file', path, mode: 0o644, modifiedMs: 0 },
  content: typeof content === 'string' ? Buffer.from(content) : content,
});
