import { CloneRefused } from './pack.ts';

/** The place of a submodule, and its commit. */
export interface Gitlink {
  /** Each character is a byte. */
  path: string;
  commit: string;
}

export interface TreeListing {
  gitlinks: Gitlink[];
  /** Files that a checkout writes with CRLF, of whose blobs some lines end so too; each character is a byte. */
  crlf: string[];
  /** Its .gitmodules, as `git config -z --list` gives them; each character is a byte. */
  modules: string[];
  bytes: number;
  files: number;
}

/** Well below what a sandbox can write and export again. */
const maxDepth = 100;
const maxPathBytes = 1024;
const maxNameBytes = 255;
/** Of the mode, the type, the id and the size before a path. */
const maxHeadBytes = 100;

/**
 * Reads what `git ls-tree -r -t -l -z` says of a tree while it says it, then what `git ls-files --eol` does of its files, and
 * then the settings of its submodules, each after an empty line. Refuses a tree beyond the limits at the first entry that is. Names that lead out of the tree, or into a git directory, are refused by Git itself.
 */
export function createTreeListing({ maxBytes, maxFiles }: { maxBytes: number; maxFiles: number }) {
  const gitlinks: Gitlink[] = [];
  const crlf: string[] = [];
  const modules: string[] = [];
  let part: 'tree' | 'line ends' | 'modules' = 'tree';
  let begun = '';
  let bytes = 0;
  let files = 0;

  function take(line: string): void {
    if (line === '') part = part === 'tree' ? 'line ends' : 'modules';
    else if (part === 'tree') takeEntry(line);
    else if (part === 'modules') modules.push(line);
    else {
      const [, path] = /^i\/(?:crlf|mixed) [^\t]*\t(.*)$/s.exec(line) ?? [];
      if (path !== undefined) crlf.push(path);
    }
  }

  function takeEntry(line: string): void {
    const [head = '', path = ''] = line.split('\t', 2);
    const [, type, commit = '', size = ''] = head.split(/ +/);
    files += 1;
    if (files > maxFiles) throw new CloneRefused('too_many_files');
    if (type === 'blob') bytes += Number(size);
    if (bytes > maxBytes) throw new CloneRefused('too_large');
    if (Number.isNaN(bytes)) throw new CloneRefused('damaged');
    const names = path.split('/');
    const isUnsafe = path.length > maxPathBytes || names.length > maxDepth;
    if (isUnsafe || names.some((name) => name.length > maxNameBytes)) throw new CloneRefused('unsafe_path');
    if (type === 'commit') gitlinks.push({ path, commit });
  }

  return {
    take(chunk: Buffer): void {
      const lines = (begun + chunk.toString('latin1')).split('\0');
      begun = lines.pop()!;
      for (const line of lines) take(line);
      if (part === 'tree' && begun.length > maxHeadBytes + maxPathBytes) throw new CloneRefused('unsafe_path');
    },
    end: (): TreeListing => ({ gitlinks, crlf, modules, bytes, files }),
  };
}
