import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

/** apt checks the signatures of its lists and the hashes of what it fetches; nothing is installed on this machine. */

interface Package {
  name: string;
  version: string;
}

/**
 * Unpacks the packages into `tree`, with those that they need and this machine lacks: sandboxes see the others under
 * /usr. Gives the version of the first.
 */
export async function unpackDebian(packages: readonly string[], tree: string, workDir: string): Promise<string> {
  const missing = await missingWith(packages, workDir);
  const [first = ''] = packages;
  if (missing.length === 0) {
    throw new Error(`${packages.join(', ')} is installed on this machine, so every sandbox has it already.`);
  }
  const exact = missing.map(({ name, version }) => `${name}=${version}`);
  await run('apt-get', ['download', '-q', '-o', 'APT::Sandbox::User=root', ...exact], workDir);
  const archives = (await readdir(workDir)).filter((name) => name.endsWith('.deb')).sort();
  for (const archive of archives) await run('dpkg-deb', ['-x', join(workDir, archive), tree], workDir);
  const { version } = missing.find(({ name }) => name === first) ?? missing[0]!;
  return upstream(version);
}

async function missingWith(packages: readonly string[], workDir: string): Promise<Package[]> {
  const args = ['install', '-s', '-q', '--no-install-recommends', '-o', 'Debug::NoLocking=1', ...packages];
  const planned = await run('apt-get', args, workDir).catch(async (error) => {
    // Without lists apt knows no packages at all.
    if (process.getuid?.() !== 0) throw new Error(`${error.message}\nCure: sudo apt-get update`);
    await run('apt-get', ['update', '-q'], workDir);
    return run('apt-get', args, workDir);
  });
  return planned.split('\n').flatMap((line) => {
    const [, name, version] = /^Inst (\S+) (?:\[[^\]]*\] )?\((\S+) /.exec(line) ?? [];
    return name !== undefined && version !== undefined ? [{ name, version }] : [];
  });
}

/** 1.19.8 of 2:1.19.8-2. */
const upstream = (version: string): string => version.replace(/^\d+:/, '').replace(/[-~+].*$/, '');
