import { invalidField } from '../../platform/index.ts';
import type { SandboxFile } from '../../sandbox/index.ts';

/** The buyer's attachments as files of the workspace: `input.code` becomes `code`, `input.files` its paths. */
export function inputFiles(input: Record<string, unknown>): SandboxFile[] {
  const files: SandboxFile[] = [];
  if (typeof input.code === 'string') files.push({ path: 'code', content: Buffer.from(input.code) });
  for (const [path, file] of Object.entries((input.files ?? {}) as Record<string, unknown>)) {
    checkPath(path);
    files.push({ path, content: contentOf(path, file) });
  }
  if (files.length > maxFiles)
    throw invalidField('input.files', `must be at most ${maxFiles} files; this has ${files.length}`);
  checkNesting(files.map((file) => file.path));
  return files;
}

/** Well below what the sandbox can lay out and export again, so that no path can keep the work from being delivered. */
const maxDepth = 64;
const maxPathBytes = 1024;
/** Each is laid by a call of its own. */
const maxFiles = 1000;

function checkPath(path: string): void {
  const refuse = (why: string) => invalidField(`input.files.${path.slice(0, 100)}`, why);
  const parts = path.split('/');
  const bad = parts.some((part) => part === '' || part === '.' || part === '..' || Buffer.byteLength(part) > 255);
  if (bad || path.includes('\0')) throw refuse('must be a relative path inside the workspace, without . or ..');
  if (parts.length > maxDepth) throw refuse(`must be at most ${maxDepth} directories deep`);
  if (Buffer.byteLength(path) > maxPathBytes) throw refuse(`must be at most ${maxPathBytes} bytes long`);
}

function contentOf(path: string, file: unknown): Buffer {
  if (typeof file === 'string') return Buffer.from(file);
  const { content, encoding } = file as { content: string; encoding: 'utf8' | 'base64' };
  if (encoding === 'base64' && !/^[A-Za-z0-9+/]*={0,2}$/.test(content)) {
    throw invalidField(`input.files.${path}.content`, 'is not base64');
  }
  return Buffer.from(content, encoding);
}

/** A path cannot be a file and a directory at once. */
function checkNesting(paths: string[]): void {
  const taken = new Set(paths);
  if (taken.size < paths.length)
    throw invalidField('input.files.code', 'collides with input.code, which is laid at code');
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      if (taken.has(path.slice(0, at))) throw invalidField(`input.files.${path}`, 'lies below another file');
    }
  }
}
