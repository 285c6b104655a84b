import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '@agora/server';
import { toolsIn, versionCommands } from '@agora/server/environments';
import { type Config, hourMs, systemClock } from '@agora/server/platform';
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
} from '@agora/server/sandbox';
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
    const ordinary = source.kind === 'debian' ? await versionIn(config, source.name, []) : null;
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
  await mkdir(home, { recursive: true, mode: 0o755 });
  await removeLeftOver(home);
  const workDir = await mkdtemp(join(home, '.making-'));
  try {
    // Sandboxes of root have users of their own.
    await chmod(workDir, 0o755);
    const made = join(workDir, 'made');
    const tree = join(made, treeName);
    await mkdir(tree, { recursive: true });
    console.error(`${source.name}: fetching ${textOf(source)}`);
    const named =
      source.kind === 'npm'
        ? await unpackNode(source.version, tree, workDir).then(() => source.version)
        : await unpackDebian(source.packages, tree, workDir);
    const fitted = await fit(tree, toolchainPlace(source));
    const tried = await tryTool(config, { name: source.name, version: named, directory: tree, ...fitted });
    const record: ToolchainRecord = { name: source.name, version: tried, ...fitted, from: textOf(source) };
    await writeFile(join(made, toolchainFile), `${JSON.stringify(record, null, 2)}\n`);
    const place = join(home, `${record.name}@${record.version}`);
    await rm(place, { recursive: true, force: true });
    await rename(made, place);
    return { ...record, directory: join(place, treeName) };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** What a process that was killed has left. One that works takes minutes. */
async function removeLeftOver(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!/^\.(?:making|removed)-/.test(name)) continue;
    const { mtimeMs } = await stat(join(home, name));
    if (mtimeMs < systemClock.now().getTime() - hourMs) await rm(join(home, name), { recursive: true, force: true });
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

/** Removes a toolchain. Sandboxes that have it keep it until they end. */
export async function removeToolCommand(tool: string, options: JsonOption): Promise<void> {
  const home = toolsDirectory(readConfig(process.env));
  const found = (await readToolchains(home)).find(({ name, version }) => `${name}@${version}` === tool);
  if (found === undefined) throw new UsageError(`There is no ${tool}. \`agora tools list\` shows what there is.`);
  const gone = join(home, `.removed-${process.pid}`);
  await rename(join(home, tool), gone);
  await rm(gone, { recursive: true, force: true });
  print(options, { removed: tool }, `${tool} is removed.`);
}
