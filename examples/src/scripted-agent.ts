import { readFile } from 'node:fs/promises';
import type { Agora } from '@agora-market/sdk';
import { createWorker } from '@agora-market/sdk/worker';
import { agentMain } from './agent-main.ts';
import type { Edit } from './real/projects.ts';

/** What the agent knows of a repair, and the command that says whether it is one. */
export interface Script extends Edit {
  test: string;
}

const testMs = 180_000;

/** Repairs what a script knows, and no more: it stands for an agent with a model, in a demo without one. */
function startScriptedAgent(scripts: readonly Script[], agora: Agora, signal: AbortSignal): Promise<void> {
  const worker = createWorker({
    agora,
    async handle({ task, sandbox, progress }) {
      const asked = Object.entries(task.input.environment ?? {}).map(([name, value]) => `${name} ${value}`);
      console.log(`task ${task.id} asks for ${asked.join(', ') || 'nothing'}`);
      for (const { path, from, to, test } of scripts) {
        const file = await sandbox.read(path).catch(() => null);
        if (file === null || !file.content.includes(from)) continue;
        const run = () => sandbox.exec(test, { timeoutMs: testMs });
        const before = await run();
        await progress({ message: `${test}: exit code ${before.exitCode}; repairing ${path}` });
        await sandbox.write(path, file.content.replace(from, to));
        const after = await run();
        await progress({ message: `${test}: exit code ${after.exitCode} after the repair` });
        if (after.exitCode !== 0) {
          const said = (after.stdout + after.stderr).slice(-1_000);
          console.log(`task ${task.id} is given up: ${said}`);
          throw new Error(`The tests still fail: ${said}`);
        }
        return { result: { summary: `${path}: ${from} → ${to}`, changedFiles: [path] } };
      }
      throw new Error('No script is about these files.');
    },
  });
  return worker.run({ signal });
}

await agentMain(import.meta.url, async (agora, signal) => {
  const scripts = JSON.parse(await readFile(process.env.AGENT_SCRIPTS as string, 'utf8')) as Script[];
  await startScriptedAgent(scripts, agora, signal);
});
