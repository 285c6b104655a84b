import type { Agora } from '@agora-market/sdk';
import { createWorker, type TaskSandbox } from '@agora-market/sdk/worker';
import { agentMain } from './agent-main.ts';
import { type Log, repair } from './repair.ts';

export { type Log, type Repair, repair } from './repair.ts';

/** Serves tasks until the signal fires: repairs the project in the sandbox, or fails the task with the reason. */
export function startFixerAgent(agora: Agora, signal: AbortSignal, log: Log): Promise<void> {
  const worker = createWorker({
    agora,
    async handle({ task, sandbox, progress, signal }) {
      log(`task ${task.id} started: ${task.input.description ?? 'no description'}`);
      const { counted, calls } = countCalls(sandbox);
      try {
        const { stdout } = await counted.exec('find . -type f | wc -l');
        await progress({ message: `${stdout.trim()} files in the workspace; running the tests` });
        const { candidatesTried, ...result } = await repair(counted, log, { signal });
        await counted.write('/workspace/output/repair.patch', result.diff);
        const passed = `all ${result.testsAfter.passed} tests pass after ${candidatesTried} tries`;
        await progress({ message: `${passed}; delivering the patch` });
        log(`task ${task.id} repaired: ${result.summary}`);
        return { result, model: 'single-token-repair', turns: candidatesTried, toolCallCount: calls() };
      } catch (error) {
        log(`task ${task.id} given up: ${error instanceof Error ? error.message : error}`);
        throw error;
      }
    },
  });
  return worker.run({ signal });
}

/** The same sandbox, its calls counted. */
function countCalls(sandbox: TaskSandbox): { counted: TaskSandbox; calls: () => number } {
  let calls = 0;
  const count =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    (...args: A): R => {
      calls++;
      return call(...args);
    };
  const { exec, list, read, write } = sandbox;
  return {
    counted: { ...sandbox, exec: count(exec), list: count(list), read: count(read), write: count(write) },
    calls: () => calls,
  };
}

await agentMain(import.meta.url, (agora, signal) => startFixerAgent(agora, signal, console.log));
