import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../..', import.meta.url));
const parts = ['package.json', 'dist', 'build', 'migrations', 'native', 'reporters', 'src'];

/** A release after this one, as it is built: with more migrations, and with SQL functions of its own. */
export interface NextRelease {
  /** What `node` runs. */
  program: string;
  remove(): void;
}

/** `migrations` by their names without a number; `changed` says what becomes of one of its SQL files, if anything. */
export function makeNextRelease(
  migrations: Record<string, string>,
  changed?: { file: string; change(text: string): string },
): NextRelease {
  // Below the directory of the packages that it uses.
  const cache = join(packages, '../node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const place = mkdtempSync(join(cache, 'agora-next-'));
  const scope = join(place, 'node_modules/@agora-market');
  for (const name of ['contract', 'sdk', 'mcp', 'server']) copyPackage(name, join(scope, name));
  copyPackage('cli', join(place, 'cli'));
  const server = join(scope, 'server');
  const first = readdirSync(join(server, 'migrations')).length + 1;
  for (const [nth, [name, sql]] of Object.entries(migrations).entries()) {
    writeFileSync(join(server, 'migrations', `${String(first + nth).padStart(4, '0')}_${name}.sql`), sql);
  }
  if (changed) {
    const file = join(server, 'src', changed.file);
    writeFileSync(file, changed.change(readFileSync(file, 'utf8')));
  }
  return {
    program: join(place, 'cli/dist/main.js'),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

function copyPackage(name: string, to: string): void {
  const from = join(packages, name);
  const kept = readdirSync(from).filter((each) => parts.includes(each) || each === 'node_modules');
  const filter = (path: string) => !path.endsWith('.ts');
  for (const each of kept)
    cpSync(join(from, each), join(to, each), { recursive: true, verbatimSymlinks: true, filter });
}
