import { type Config, systemClock } from '@agora/server/platform';
import { configuredDriver, sandboxState } from '@agora/server/sandbox';
import { type Check, fail, ok, warn } from './finding.ts';

/** Starts a sandbox and ends it, as the service does when it starts. */
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
