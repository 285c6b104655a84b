import type { ProofRequest, TaskInput } from '@agora-market/contract';
import { invalidField } from '../../platform/index.ts';
import type { SandboxFile } from '../../sandbox/index.ts';

/** The buyer's attachments as files of the workspace: `input.code` becomes `code`, `input.files` its paths. */
export function inputFiles(input: TaskInput): SandboxFile[] {
  const files = filesOf(input.files, 'input.files');
  if (input.code !== undefined) {
    const code = { path: 'code', content: Buffer.from(input.code) };
    if (files.some(({ path }) => path === code.path)) {
      throw invalidField('input.files.code', 'collides with input.code, which is laid at code');
    }
    files.unshift(code);
  }
  checkTogether(files, 'input.files');
  return files;
}

/** Files that only the gate's own sandboxes get: no agent, no clone and no artifact ever holds them. */
export function heldOutFiles(input: TaskInput): SandboxFile[] {
  const files = filesOf(input.acceptance?.files, 'input.acceptance.files');
  checkTogether(files, 'input.acceptance.files');
  return files;
}

/** Files of a party's proof in a dispute. */
export function proofFiles({ files: given }: Pick<ProofRequest, 'files'>): SandboxFile[] {
  const files = filesOf(given ?? {}, 'proof.files');
  checkTogether(files, 'proof.files');
  return files;
}

/** Well below what the sandbox can write and export again, so that no path can block a delivery. */
const maxDepth = 64;
const maxPathBytes = 1024;
/** Each is written by one call. */
const maxFiles = 1000;

type GivenFiles = NonNullable<TaskInput['files']>;

const filesOf = (given: GivenFiles = {}, field: string): SandboxFile[] =>
  Object.entries(given).map(([path, file]) => {
    checkPath(path, field);
    return { path, content: contentOf(path, file, field) };
  });

function checkPath(path: string, field: string): void {
  const refuse = (why: string) => invalidField(`${field}.${path.slice(0, 100)}`, why);
  const parts = path.split('/');
  const bad = parts.some((part) => part === '' || part === '.' || part === '..' || Buffer.byteLength(part) > 255);
  if (bad || path.includes('\0')) throw refuse('must be a relative path inside the workspace, without . or ..');
  if (parts.length > maxDepth) throw refuse(`must be at most ${maxDepth} directories deep`);
  if (Buffer.byteLength(path) > maxPathBytes) throw refuse(`must be at most ${maxPathBytes} bytes long`);
}

function contentOf(path: string, file: GivenFiles[string], field: string): Buffer {
  if (typeof file === 'string') return Buffer.from(file);
  const { content, encoding } = file;
  if (encoding === 'base64' && !/^[A-Za-z0-9+/]*={0,2}$/.test(content)) {
    throw invalidField(`${field}.${path}.content`, 'is not base64');
  }
  return Buffer.from(content, encoding);
}

/** A path cannot be a file and a directory at once. */
function checkTogether(files: readonly SandboxFile[], field: string): void {
  if (files.length > maxFiles) throw invalidField(field, `must be at most ${maxFiles} files; this has ${files.length}`);
  const taken = new Set(files.map(({ path }) => path));
  for (const path of taken) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      if (taken.has(path.slice(0, at))) throw invalidField(`${field}.${path}`, 'lies below another file');
    }
  }
}
