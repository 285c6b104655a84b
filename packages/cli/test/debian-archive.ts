import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A package of the archive. Scripts begin with `#!`; a link is written as `-> target`. */
export interface DebianPackage {
  name: string;
  version: string;
  depends?: string[];
  files: Record<string, string>;
  /** Run by Debian when it installs the package. */
  afterwards?: string;
}

/**
 * An archive of packages in a directory of its own, and the settings (`APT_CONFIG`) with which apt knows that archive alone, on a
 * machine where nothing is installed.
 */
export function makeDebianArchive(home: string, packages: readonly DebianPackage[]): string {
  const [archive, state] = [join(home, 'archive'), join(home, 'state')];
  for (const path of [archive, join(state, 'lists/partial'), join(home, 'cache/archives/partial')]) {
    mkdirSync(path, { recursive: true });
  }
  writeFileSync(join(archive, 'Packages'), packages.map((each) => addPackage(archive, each)).join('\n'));
  writeFileSync(join(home, 'status'), '');
  writeFileSync(join(home, 'sources.list'), `deb [trusted=yes] copy:${archive}/ ./\n`);
  const settings = {
    'Dir::State': state,
    'Dir::State::status': join(home, 'status'),
    'Dir::Cache': join(home, 'cache'),
    'Dir::Etc::sourcelist': join(home, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
  };
  const path = join(home, 'apt.conf');
  writeFileSync(
    path,
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  return path;
}

/** Its entry in the list of packages. */
function addPackage(archive: string, { name, version, depends = [], files, afterwards }: DebianPackage): string {
  const tree = join(archive, `${name}.tree`);
  const facts = [
    `Package: ${name}`,
    `Version: ${version}`,
    'Architecture: all',
    'Maintainer: Nobody <nobody@example.com>',
    ...(depends.length > 0 ? [`Depends: ${depends.join(', ')}`] : []),
    'Description: of a test',
  ].join('\n');
  const control = { control: `${facts}\n`, ...(afterwards && { postinst: `#!/bin/sh\n${afterwards}\n` }) };
  for (const [path, text] of Object.entries(control)) put(join(tree, 'DEBIAN', path), text);
  for (const [path, text] of Object.entries(files)) put(join(tree, path), text);
  const file = `${name}_${version}_all.deb`;
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, join(archive, file)], { stdio: 'ignore' });
  const bytes = readFileSync(join(archive, file));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return `${facts}\nFilename: ./${file}\nSize: ${bytes.length}\nSHA256: ${sha256}\n`;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  if (text.startsWith('-> ')) symlinkSync(text.slice(3), path);
  else writeFileSync(path, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
}
