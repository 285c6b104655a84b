import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readConfig } from '@agora-market/server';
import { toolsIn, versionCommands } from '@agora-market/server/environments';
import { type Config, hourMs, systemClock } from '@agora-market/server/platform';
import {
  configuredDriver,
  DEFAULT_LIMITS,
  readToolchains,
  sandboxState,
  type Toolchain,
  type ToolchainRecord,
  toolchainFile,
  toolchainPlace,
  toolsDirectory,
  treeName,
} from '@agora-market/server/sandbox';
import { UsageError } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { print, table } from '../print.ts';
import { unpackDebian } from './toolchains/debian.ts';
import { fit } from './toolchains/fit.ts';
import { unpackNode } from './toolchains/node.ts';
import { type Source, sourceOf, textOf } from './toolchains/sources.ts';

/** Toolchains that sandboxes of this machine can have besides the programs of the system. */

/** Makes a toolchain of each source, tries it in a sandbox, and puts it where servers find it. */
export async function addToolsCommand(sources: string[], options: JsonOption & { name?: string }): Promise<void> {
  if (options.name !== undefined && sources.length > 1) throw new UsageError('--name is for one source.');
  const wanted = sources.map((text) => sourceOf(text, options.name));
  const config = readConfig(process.env);
  await requireSandboxes(config);
  const shown: { name: string; version: string; isNew: boolean }[] = [];
  for (const source of wanted) {
    const isPlain = source.kind === 'debian' && source.packages.length === 1;
    const ordinary = isPlain ? await versionIn(config, source.name, []) : null;
    const { name, version } = ordinary === null ? await addTool(config, source) : { ...source, version: ordinary };
    shown.push({ name, version, isNew: ordinary === null });
  }
  const says = ({ name, version, isNew }: (typeof shown)[number]) =>
    isNew ? `Sandboxes have ${name}@${version} now.` : `Every sandbox has ${name}@${version} already, from the system.`;
  print(options, shown, () => shown.map(says).join('\n'));
}

async function requireSandboxes(config: Config): Promise<void> {
  const driver = configuredDriver(config);
  const { available, detail } = await sandboxState(driver, systemClock)();
  if (!available) throw new Error(`No sandbox runs here, so no tool can be tried: ${detail}`);
  if (driver.name !== 'bwrap') {
    throw new Error(
      'Sandboxes are containers here and have the programs of their image. Name others with SANDBOX_DOCKER_IMAGES.',
    );
  }
}

async function addTool(config: Config, source: Source): Promise<Toolchain> {
  const home = toolsDirectory(config);
  const first = await mkdir(home, { recursive: true });
  await removeLeftOver(config, home);
  const workDir = await mkdtemp(join(home, `.making-${now()}-`));
  try {
    const made = join(workDir, 'made');
    const tree = join(made, treeName);
    await mkdir(tree, { recursive: true });
    // Sandboxes of root have users of their own, whatever the mask of this one is.
    for (const path of [...madeAbove(home, first), workDir, made, tree]) await chmod(path, 0o755);
    console.error(`${source.name}: fetching ${textOf(source)}`);
    const named =
      source.kind === 'npm'
        ? await unpackNode(source.version, tree, workDir).then(() => source.version)
        : await unpackDebian(source.packages, tree, workDir);
    const fitted = await fit(tree, toolchainPlace(source));
    const tried = await tryTool(config, { name: source.name, version: named, directory: tree, ...fitted });
    const about = { from: textOf(source), addedAt: systemClock.now().toISOString() };
    const record: ToolchainRecord = { name: source.name, version: tried, ...fitted, ...about };
    await writeFile(join(made, toolchainFile), `${JSON.stringify(record, null, 2)}\n`);
    const former = await sameAs(home, record);
    // Never the place of another: sandboxes have that.
    const place = join(home, `${record.name}@${record.version}-${randomUUID().slice(0, 8)}`);
    await rename(made, place);
    for (const each of former) await setAside(home, each);
    return { ...record, directory: join(place, treeName) };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

const now = (): number => systemClock.now().getTime();

/** The directories that had to be made on the way. */
function madeAbove(home: string, first: string | undefined): string[] {
  const paths = [home];
  for (let at = home; first !== undefined && at !== first; at = dirname(at)) paths.push(dirname(at));
  return paths;
}

/** Those of the same name and version that are there. */
const sameAs = async (
  home: string,
  { name, version }: Pick<ToolchainRecord, 'name' | 'version'>,
): Promise<Toolchain[]> =>
  (await readToolchains(home)).filter((each) => each.name === name && each.version === version);

/** Away from new sandboxes; those that have it keep it, for its files go later. */
const setAside = (home: string, { directory }: Toolchain): Promise<void> =>
  rename(dirname(directory), join(home, `.removed-${now()}-${randomUUID().slice(0, 8)}`));

/** What was set aside before the oldest sandbox began, and what a process that was killed has left. */
async function removeLeftOver({ SANDBOX_LIFETIME_MS }: Config, home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const [, sinceMs] = /^\.(?:making|removed)-(\d+)-/.exec(name) ?? [];
    if (sinceMs === undefined || Number(sinceMs) > now() - SANDBOX_LIFETIME_MS - hourMs) continue;
    await rm(join(home, name), { recursive: true, force: true });
  }
}

/** Its version as it says itself; of a tool that nobody asks by name, that of its package. */
async function tryTool(config: Config, toolchain: Toolchain): Promise<string> {
  const { name, version } = toolchain;
  if (!Object.hasOwn(versionCommands, name)) return version;
  const found = await versionIn(config, name, [toolchain]);
  if (found === null) throw new Error(`${name} does not start in a sandbox, so it was not added.`);
  return found;
}

/** What the tool says of itself in a sandbox; null where it is not there. */
async function versionIn(config: Config, name: string, toolchains: Toolchain[]): Promise<string | null> {
  if (!Object.hasOwn(versionCommands, name)) return null;
  const driver = configuredDriver(config);
  const sandbox = await driver.create(`tools-${process.pid}`, DEFAULT_LIMITS, { toolchains });
  try {
    const [found] = await toolsIn(sandbox, [name]);
    return found?.version ?? null;
  } finally {
    await sandbox.destroy();
  }
}

/** Prints the toolchains of this machine. */
export async function listToolsCommand(options: JsonOption): Promise<void> {
  const found = await readToolchains(toolsDirectory(readConfig(process.env)));
  const shown = found.map(({ name, version, from, directory }) => ({ name, version, from, directory }));
  print(options, shown, () =>
    shown.length === 0
      ? 'None. `agora tools add go rust java` adds some; sandboxes see the programs of the system besides.'
      : table(
          ['tool', 'version', 'from'],
          shown.map(({ name, version, from }) => [name, version, from]),
        ),
  );
}

/** Removes a toolchain. Sandboxes that have it keep it until they end; its files go with a later call. */
export async function removeToolCommand(tool: string, options: JsonOption): Promise<void> {
  const config = readConfig(process.env);
  const home = toolsDirectory(config);
  const found = (await readToolchains(home)).filter(({ name, version }) => `${name}@${version}` === tool);
  if (found.length === 0) throw new UsageError(`There is no ${tool}. \`agora tools list\` shows what there is.`);
  for (const each of found) await setAside(home, each);
  await removeLeftOver(config, home);
  print(options, { removed: tool }, `${tool} is removed.`);
}
