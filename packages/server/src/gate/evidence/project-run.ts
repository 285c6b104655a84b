import { posix } from 'node:path';
import { execMeasured } from '../sandboxes/apart.ts';
import { type CheckSandbox, inCheckSandbox, isEvidence, lacksToolAnywhere } from '../sandboxes/check-sandbox.ts';
import type { Ran, Remaining } from './ran.ts';
import type { TestCommand } from './test-commands.ts';

/** Project tools read these: no watch mode, no colours, no call home, and Go names each test that it ran. */
const projectEnv = {
  CI: 'true',
  NO_COLOR: '1',
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
  GOFLAGS: '-v',
};

export interface ProjectRun {
  command: TestCommand;
  capMs: number;
  remaining: Remaining;
}

/** Runs what a project declares; the run may take `share` of the remaining time. */
export async function runProject(setup: CheckSandbox, run: ProjectRun, share: number): Promise<Ran> {
  const { command, tool, directory, env = {} } = run.command;
  try {
    return await inCheckSandbox(setup, async (sandbox): Promise<Ran> => {
      if (await lacksToolAnywhere(setup.pool, sandbox, tool)) return { lacking: tool };
      const capMs = Math.min(run.capMs, Math.max(1000, share * run.remaining()));
      const cwd = posix.join('/workspace', directory);
      const measured = await execMeasured(setup, sandbox, command, capMs, { env: { ...projectEnv, ...env }, cwd });
      return { ...measured, capMs, directory: cwd };
    });
  } catch (error) {
    if (!isEvidence(error)) throw error;
    return { broken: error.message };
  }
}

export const commandName = ({ command, directory }: TestCommand) =>
  directory === '' ? command : `${command} (in ${directory})`;
