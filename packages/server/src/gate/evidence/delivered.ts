import type { Sandbox } from '../../sandbox/index.ts';
import type { Reader } from '../reading/readers.ts';
import { isTestFile } from '../restore/restored-files.ts';
import { execOwn } from '../sandboxes/check-sandbox.ts';
import { findsLayers } from '../sandboxes/layered.ts';
import type { DeliveredFiles } from './changes.ts';

/** Pinned versions are looked at however long their list is. */
const lockfiles = ['package-lock.json', 'npm-shrinkwrap.json', 'requirements*.txt', 'go.mod', 'Cargo.lock'];

/** Files that are listed and compared: larger ones are data, and dependencies are nobody's delivered work. */
const inventoryCommand = (layered: readonly string[]) =>
  [
    `find . '(' ${findsLayers(layered, '.')}-name node_modules -o -name .git -o -name .agora ')' -prune`,
    `-o -type f '(' -size -4096k ${lockfiles.map((name) => `-o -name '${name}'`).join(' ')} ')'`,
    '-exec sha256sum -z -- {} +',
  ].join(' ');

/** The delivered files beside the buyer's; null if the sandbox lacks the tools for it. */
export async function deliveredFiles(sandbox: Sandbox, reader: Reader): Promise<DeliveredFiles | null> {
  const listed = await execOwn(sandbox, inventoryCommand(sandbox.layered), 30_000, { env: { LC_ALL: 'C' } });
  if (listed.exitCode !== 0 || listed.timedOut) return null;
  return reader.read('compareFiles', { listing: listed.stdout, truncated: listed.truncated });
}

/**
 * Whether anything was changed that is no test and is not put back; true where that could not be found out. `testFiles` are
 * those that a report names, null where none does.
 */
export function changedWork(
  delivered: DeliveredFiles | null,
  restored: readonly string[],
  testFiles: readonly string[] | null,
): boolean {
  if (delivered === null) return true;
  const others = new Set([...restored, ...(testFiles ?? [])]);
  return (
    delivered.differs &&
    delivered.changed.some((path) => !others.has(path) && (testFiles !== null || !isTestFile(path)))
  );
}
