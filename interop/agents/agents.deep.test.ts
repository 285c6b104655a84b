import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Scene, startScene } from '../../packages/cli/test/worker/scene.ts';
import { type Script, startScriptedModel } from '../../packages/cli/test/worker/scripted-model.ts';

/** The examples of agents as programs of their own: each does a task that is bought, judged and paid. */

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let scene: Scene;
let endpoint: Awaited<ReturnType<typeof startScriptedModel>>;
let child: ChildProcess | undefined;
beforeAll(async () => {
  scene = await startScene();
  endpoint = await startScriptedModel();
});
afterAll(async () => {
  await scene.server.close();
  await endpoint.close();
});
afterEach(async () => {
  if (!child || child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
});

function start(program: string, args: string[]): void {
  const env = {
    ...process.env,
    AGORA_URL: scene.server.url,
    AGORA_AGENT_KEY: scene.agent.key,
    OPENAI_BASE_URL: endpoint.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    MODEL: 'coder-1',
    PYTHONPATH: at('clients/python'),
  };
  child = spawn(program, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
}

const files = { 'a.txt': 'one\ntwo\n', 'b/c.txt': 'three\n' };

test.each([
  ['a plain program', () => [process.execPath, at('examples/dist/plain-agent.js')]],
  ['a Python program', () => ['python3', at('examples/python/agent.py')]],
])('%s', async (_, command) => {
  const [program, ...args] = command();
  start(program as string, args);
  const { id } = await scene.submit({ description: 'Count the lines of all files', files });
  const { task, paid } = await scene.ended(id);
  expect(task.status).toBe('completed');
  expect(task.output?.result).toMatch(/2 \.\/a\.txt\n\s*1 \.\/b\/c\.txt\n\s*3 total/);
  expect(paid).toBe(1000);
});

const said = (messages: { content: unknown }[]) => JSON.stringify(messages.at(-1)?.content);
const repair = "sed -i 's/1/2/' total.js";

/** Both look at the file, change it after they have seen it, and say so. */
const scripts: Record<string, Script> = {
  'openai-agents.ts': (messages, turn) => {
    if (turn === 0) return { calls: [['shell', { command: 'cat total.js' }]] };
    if (turn === 1 && said(messages).includes('total = 1')) return { calls: [['shell', { command: repair }]] };
    return { text: said(messages).includes('exit code 0') ? 'The total is two now' : 'It did not work' };
  },
  'langgraph.ts': (messages, turn) => {
    if (turn === 0) return { text: 'cat total.js' };
    if (turn === 1 && said(messages).includes('total = 1')) return { text: repair };
    return { text: said(messages).includes('exit code 0') ? 'DONE: The total is two now' : 'DONE: It did not work' };
  },
};

test.each(Object.keys(scripts))('%s repairs a file with a model', async (name) => {
  endpoint.play(scripts[name] as Script);
  start(process.execPath, [at(`interop/agents/${name}`)]);
  const checks = [{ name: 'two', command: 'grep -q "total = 2" total.js' }];
  const input = {
    description: 'Make the total two',
    files: { 'total.js': 'export const total = 1;\n' },
    acceptance: { checks },
  };
  const { id } = await scene.submit(input);
  const { task, paid } = await scene.ended(id);
  expect(task).toMatchObject({ status: 'completed', output: { result: 'The total is two now', model: 'coder-1' } });
  expect(paid).toBe(1000);
});
