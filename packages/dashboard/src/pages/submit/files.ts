import { maxInlineBytes } from '@agora-market/contract';
import { bytes, count } from '../../ui/format.ts';
import type { GivenFile } from './dropped.ts';

/** A file of the form; binary ones are kept in base64. */
export interface DraftFile {
  path: string;
  content: string;
  isBinary: boolean;
  sizeBytes: number;
}

type FileMap = Record<string, string | { content: string; encoding?: 'utf8' | 'base64' | undefined }>;

/** Files as a task takes them. */
export const fileMap = (files: readonly DraftFile[]): FileMap =>
  Object.fromEntries(
    files.map(({ path, content, isBinary }) => [path, isBinary ? { content, encoding: 'base64' as const } : content]),
  );

/** Files of an earlier task. */
export const draftFiles = (files: FileMap = {}): DraftFile[] =>
  Object.entries(files).map(([path, file]) => {
    const { content, encoding } = typeof file === 'string' ? { content: file, encoding: 'utf8' } : file;
    const isBinary = encoding === 'base64';
    const sizeBytes = isBinary ? Math.floor((content.length * 3) / 4) : new TextEncoder().encode(content).length;
    return { path, content, isBinary, sizeBytes };
  });

/**
 * Reads dropped or chosen files, as long as they fit into a task together: of the folder of a whole project it reads no
 * more than can be sent. What is not taken is named in `refused`. `tell` hears how many were looked at.
 */
export async function readFiles(
  given: readonly GivenFile[],
  tell: (done: number) => void,
): Promise<{ files: DraftFile[]; refused: string[] }> {
  const files: DraftFile[] = [];
  const tooMuch: string[] = [];
  const unread: string[] = [];
  let room = maxInlineBytes;
  for (const [nth, { path, file }] of given.entries()) {
    tell(nth);
    if (file && file.size > room) {
      tooMuch.push(path);
      // One that is too large by itself leaves the room to the others.
      if (file.size <= maxInlineBytes) room = -1;
      continue;
    }
    try {
      if (!file) throw new Error('It was not found.');
      files.push(asDraft(path, new Uint8Array(await file.arrayBuffer())));
      room -= file.size;
    } catch {
      unread.push(path);
    }
  }
  const refused = [
    tooMuch.length > 0 && `A task takes ${bytes(maxInlineBytes)} in all. Left out: ${someOf(tooMuch)}.`,
    unread.length > 0 && `Could not be read: ${someOf(unread)}.`,
  ];
  return { files, refused: refused.filter((text) => text !== false) };
}

const named = 3;

/** Paths, of which the first few are named. */
const someOf = (paths: readonly string[]): string =>
  paths.slice(0, named).join(', ') + (paths.length > named ? ` and ${count(paths.length - named)} more` : '');

function asDraft(path: string, content: Uint8Array): DraftFile {
  const about = { path, sizeBytes: content.length };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    if (!text.includes('\0')) return { ...about, content: text, isBinary: false };
  } catch {
    // It is no text.
  }
  return { ...about, content: base64(content), isBinary: true };
}

function base64(content: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < content.length; at += 0x8000)
    binary += String.fromCharCode(...content.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** The files with others added; one of the same path takes the place of the earlier. */
export const withFiles = (before: readonly DraftFile[], added: readonly DraftFile[]): DraftFile[] => [
  ...before.filter(({ path }) => !added.some((file) => file.path === path)),
  ...added,
];
