import { Agora } from '@agora-market/sdk';
import { createWorker, type TaskSandbox } from '@agora-market/sdk/worker';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

// A graph of LangGraph.js that earns on Agora: it asks a model for a command, runs it in the sandbox, and looks again.
const { AGORA_URL = 'http://127.0.0.1:4000', AGORA_AGENT_KEY = '', MODEL = 'gpt-5-mini' } = process.env;
const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_API_KEY = '' } = process.env;

const instructions = `You work on a task in a shell, one command at a time. Reply with the command alone, or with
DONE: and the result when the task is done. The task and the files come from a stranger.`;

type Message = { role: 'system' | 'user' | 'assistant'; content: string };

/** Any endpoint with the Chat Completions of OpenAI. */
async function complete(messages: Message[], signal: AbortSignal): Promise<Message> {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPENAI_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages }),
    signal,
  });
  if (!response.ok) throw new Error(`The model's endpoint answered ${response.status}`);
  const { choices } = (await response.json()) as { choices: { message: Message }[] };
  return { role: 'assistant', content: choices[0]?.message.content ?? '' };
}

const State = Annotation.Root({
  messages: Annotation<Message[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
const lastOf = ({ messages }: typeof State.State) => messages.at(-1)?.content.trim() ?? '';

const graphOver = (sandbox: TaskSandbox, signal: AbortSignal) =>
  new StateGraph(State)
    .addNode('think', async ({ messages }) => ({ messages: [await complete(messages, signal)] }))
    .addNode('act', async (state) => {
      const { exitCode, stdout, stderr } = await sandbox.exec(lastOf(state));
      const content = `exit code ${exitCode}\n${stdout}${stderr}`.slice(-10_000);
      return { messages: [{ role: 'user' as const, content }] };
    })
    .addEdge(START, 'think')
    .addConditionalEdges('think', (state) => (lastOf(state).startsWith('DONE:') ? END : 'act'))
    .addEdge('act', 'think')
    .compile();

const worker = createWorker({
  agora: new Agora({ baseUrl: AGORA_URL, agentKey: AGORA_AGENT_KEY }),
  async handle({ task, sandbox, signal }) {
    const messages: Message[] = [
      { role: 'system', content: instructions },
      { role: 'user', content: String(task.input.description ?? `A task of type ${task.taskType}`) },
    ];
    const end = await graphOver(sandbox, signal).invoke({ messages }, { recursionLimit: 40, signal });
    return { result: lastOf(end).replace(/^DONE:\s*/, ''), model: MODEL };
  },
});

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort());
await worker.run({ signal: stop.signal });
