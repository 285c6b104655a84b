import { toolsIn, toolsOfProjects } from '@agora-market/server/environments';
import { type Config, systemClock } from '@agora-market/server/platform';
import {
  configuredDriver,
  DEFAULT_LIMITS,
  readToolchains,
  type SandboxDriver,
  sandboxState,
  toolsDirectory,
} from '@agora-market/server/sandbox';
import { plainSourceOf } from '../operator/toolchains/sources.ts';
import { type Check, fail, ok, warn } from './finding.ts';

/** Starts a sandbox, runs a command in it and ends it, as the service does when it starts. */
export const checkSandbox = (config: Config): Check => ({
  name: 'sandbox',
  async run() {
    const { driver, available, detail, isWorthAWarning } = await sandboxState(configuredDriver(config), systemClock)();
    const told = `${driver}: ${detail}`;
    const where = 'docs/sandbox.md says what it needs.';
    if (!available) return fail(told, `Without a sandbox no task can run; ${where}`);
    return isWorthAWarning ? warn(told, `What is not enforced can be used up by one task; ${where}`) : ok(told);
  },
});

/** The tools that most projects are tested with: those of the system, and those that `agora tools add` has added. */
export const checkTools = (
  config: Config,
  driver: Pick<SandboxDriver, 'name' | 'create'> = configuredDriver(config),
): Check => ({
  name: 'tools',
  async run() {
    const sandbox = await driver.create(`doctor-${process.pid}`, DEFAULT_LIMITS).catch(() => null);
    if (sandbox === null) return warn('are not known, for no sandbox runs', 'See to the sandbox first.');
    const ordinary = await toolsIn(sandbox).finally(() => sandbox.destroy());
    const added = driver.name === 'bwrap' ? await readToolchains(toolsDirectory(config)) : [];
    const there = new Set([...ordinary, ...added].map(({ name }) => name));
    const missing = toolsOfProjects.filter((name) => !there.has(name));
    const told = `${[...there].join(', ')} in sandboxes`;
    if (missing.length === 0) return ok(told);
    const sources = missing.map(plainSourceOf).join(' ');
    const cure = driver.name === 'bwrap' ? `agora tools add ${sources}` : 'Name an image that has them.';
    return warn(`${told}; no ${missing.join(', ')}`, cure);
  },
});
