/** A file with the path it had under what was dropped or chosen. */
export interface GivenFile {
  path: string;
  /** Null where it could not be read. */
  file: File | null;
}

/** What nobody means who drops the folder of a project. */
const skipped = new Set(['.git', 'node_modules', '.DS_Store']);

const isWanted = (path: string) => !path.split('/').some((part) => skipped.has(part));

/** Files as an `<input>` gives them. */
export const chosenFiles = (files: Iterable<File>): GivenFile[] =>
  [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file })).filter(({ path }) => isWanted(path));

/** Files of a drop, with those in dropped folders. To be called while the drop is handled: afterwards it is empty. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<GivenFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return chosenFiles(files);
  return (await Promise.all(entries.map(filesIn))).flat();
}

async function filesIn(entry: FileSystemEntry): Promise<GivenFile[]> {
  const path = entry.fullPath.replace(/^\//, '');
  if (!isWanted(path)) return [];
  const found: GivenFile[] = [];
  try {
    if (isFile(entry)) return [{ path, file: await new Promise((done, fail) => entry.file(done, fail)) }];
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    // A reader gives some at a time, and none at the end.
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (some.length === 0) return found;
      for (const each of some) found.push(...(await filesIn(each)));
    }
  } catch {
    return [...found, { path, file: null }];
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
