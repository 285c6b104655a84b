import { posix } from 'node:path';
import type { Sandbox } from '../../sandbox/index.ts';
import { readFile } from '../sandboxes/check-sandbox.ts';
import type { ChangedFile } from '../source.ts';

/** Enough to fill a judge's prompt. Sources come before generated files. */
const maxFiles = 20;
const maxFileChars = 20_000;

const generated =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|Cargo\.lock|go\.sum|poetry\.lock)$|\.(?:map|min\.js|min\.css|snap)$|(?:^|\/)(?:dist|build|coverage|__pycache__)\//;

/** The changed files that are text, in the order of their paths, those nearest to the root first. */
export async function readChangedFiles(sandbox: Sandbox, changed: readonly string[]): Promise<ChangedFile[]> {
  const depth = (path: string) => path.split('/').length;
  const paths = changed
    .filter((path) => !generated.test(path))
    .sort((a, b) => depth(posix.normalize(a)) - depth(posix.normalize(b)) || (a < b ? -1 : 1))
    .slice(0, maxFiles);
  const files: ChangedFile[] = [];
  for (const path of paths) {
    const file = await readFile(sandbox, path);
    if (file?.encoding === 'utf8') files.push({ path, text: file.content.slice(0, maxFileChars) });
  }
  return files;
}
