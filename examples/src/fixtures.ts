import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A project under `fixtures/` as a task's `input.files`: path, under the project's name, to text. */
export async function fixtureFiles(name: string): Promise<Record<string, string>> {
  const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));
  const entries = await readdir(join(fixtures, name), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const pairs = files.toSorted().map(async (path) => {
    return [relative(fixtures, path).split(sep).join('/'), await readFile(path, 'utf8')] as const;
  });
  return Object.fromEntries(await Promise.all(pairs));
}
