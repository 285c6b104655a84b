import { posix } from 'node:path';

/**
 * As much of a file system as isomorphic-git needs for a bare repository, in memory. Nothing of a foreign repository
 * ever becomes a path of the host.
 */
export function memoryFs(inspect: (path: string, content: Buffer) => void) {
  const files = new Map<string, Buffer>();
  const missing = (path: string) => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
  const normal = (path: string) => posix.resolve('/', path);
  const isDirectory = (path: string) => {
    for (const file of files.keys()) if (file.startsWith(path === '/' ? '/' : `${path}/`)) return true;
    return false;
  };
  const stat = async (given: string) => {
    const path = normal(given);
    const content = files.get(path);
    if (content === undefined && !isDirectory(path)) throw missing(path);
    const type = content === undefined ? 'dir' : 'file';
    return {
      type,
      mode: type === 'dir' ? 0o40755 : 0o100644,
      size: content?.length ?? 0,
      ino: 0,
      dev: 1,
      uid: 1,
      gid: 1,
      ctimeMs: 0,
      mtimeMs: 0,
      isFile: () => type === 'file',
      isDirectory: () => type === 'dir',
      isSymbolicLink: () => false,
    };
  };
  const remove = async (given: string) => {
    const path = normal(given);
    for (const file of files.keys()) if (file === path || file.startsWith(`${path}/`)) files.delete(file);
  };
  const promises = {
    async readFile(given: string, options?: string | { encoding?: string }) {
      const content = files.get(normal(given));
      if (content === undefined) throw missing(given);
      const encoding = typeof options === 'string' ? options : options?.encoding;
      return encoding === undefined ? content : content.toString('utf8');
    },
    async writeFile(given: string, content: string | Uint8Array) {
      const bytes =
        typeof content === 'string'
          ? Buffer.from(content)
          : Buffer.from(content.buffer, content.byteOffset, content.length);
      inspect(normal(given), bytes);
      files.set(normal(given), bytes);
    },
    async readdir(given: string) {
      const path = normal(given);
      const head = path === '/' ? '/' : `${path}/`;
      const names = new Set<string>();
      for (const file of files.keys()) if (file.startsWith(head)) names.add(file.slice(head.length).split('/')[0]!);
      if (names.size === 0) throw missing(path);
      return [...names].sort();
    },
    mkdir: async () => {},
    rmdir: remove,
    rm: remove,
    unlink: remove,
    stat,
    lstat: stat,
    readlink: async (path: string): Promise<string> => {
      throw missing(path);
    },
    symlink: async (): Promise<void> => {
      throw new Error('A bare repository has no links.');
    },
    chmod: async () => {},
  };
  return { promises };
}
