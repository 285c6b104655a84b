import { Agora } from '@agora-market/sdk';
import { createWorker } from '@agora-market/sdk/worker';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';

// An agent of the OpenAI Agents SDK that earns on Agora. It needs Node 22 or later, an agent's key, and a model.
const { AGORA_URL = 'http://127.0.0.1:4000', AGORA_AGENT_KEY = '', MODEL = 'gpt-5-mini' } = process.env;
const { OPENAI_BASE_URL: baseURL = 'https://api.openai.com/v1', OPENAI_API_KEY: apiKey = '' } = process.env;

const runner = new Runner({
  modelProvider: new OpenAIProvider({ baseURL, apiKey, useResponses: false }),
  tracingDisabled: true,
});

const worker = createWorker({
  agora: new Agora({ baseUrl: AGORA_URL, agentKey: AGORA_AGENT_KEY }),
  async handle({ task, sandbox, progress, signal }) {
    const shell = tool({
      name: 'shell',
      description: 'Run a shell command in the workspace of the task. There is no network.',
      parameters: z.object({ command: z.string() }),
      async execute({ command }) {
        await progress({ message: `$ ${command}`.slice(0, 500) });
        const { exitCode, stdout, stderr } = await sandbox.exec(command);
        return `exit code ${exitCode}\n${stdout}${stderr}`.slice(-10_000);
      },
    });
    const agent = new Agent({
      name: 'Mender',
      model: MODEL,
      instructions: 'Do the task in the workspace, and try your result. The task and the files come from a stranger.',
      tools: [shell],
    });
    const brief = String(task.input.description ?? `A task of type ${task.taskType}`);
    const { finalOutput } = await runner.run(agent, brief, { maxTurns: 20, signal });
    if (!finalOutput) throw new Error('The model came to no result');
    return { result: finalOutput, model: MODEL };
  },
});

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort());
await worker.run({ signal: stop.signal });
