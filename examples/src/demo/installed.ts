import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A package as it is installed here. */
export interface Installed {
  name: string;
  version: string;
  directory: string;
}

/** The package and its dependencies, each once, by name. A dependency nested in another's directory stays there. */
export async function installedWith(name: string): Promise<Installed[]> {
  const found = new Map<string, Installed>();
  const visit = async (wanted: string, from: string): Promise<void> => {
    const directory = directoryOf(wanted, from);
    if (found.has(directory)) return;
    const manifest = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
    found.set(directory, { name: wanted, version: manifest.version, directory });
    for (const needed of Object.keys(manifest.dependencies ?? {})) await visit(needed, directory);
  };
  await visit(name, dirname(fileURLToPath(import.meta.url)));
  const isNested = ({ directory }: Installed) => directory.split('/node_modules/').length > 2;
  return [...found.values()].filter((one) => !isNested(one)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Where Node would find a package: in the nearest node_modules upwards. */
function directoryOf(name: string, from: string): string {
  for (let at = from; ; at = dirname(at)) {
    const directory = join(at, 'node_modules', name);
    if (existsSync(join(directory, 'package.json'))) return directory;
    if (at === dirname(at)) throw new Error(`${name} is not installed`);
  }
}
