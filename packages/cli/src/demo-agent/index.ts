import { resolve } from 'node:path';
import { AuthenticationError, type Task } from '@agora-market/sdk';
import { createWorker } from '@agora-market/sdk/worker';
import type { Config } from '@agora-market/server/platform';
import { demoAgentClient } from './account.ts';
import { reportOn } from './text-report.ts';

interface DemoAgent {
  /** Resolves once it takes tasks, or cannot. */
  started: Promise<void>;
  /** Lets a task under way end, and says that the agent is gone. */
  stop(): Promise<void>;
}

/** Whether the settings want it: development alone has one. See docs/decisions/0022-demo-agent.md. */
export const wantsDemoAgent = ({
  AGORA_ENV,
  DEMO_AGENT,
  ROLES,
}: Pick<Config, 'AGORA_ENV' | 'DEMO_AGENT' | 'ROLES'>): boolean =>
  AGORA_ENV === 'development' && DEMO_AGENT === 'on' && ROLES.includes('api');

/** Runs the demo agent against the server at `url`. `say` hears why there is none; it never hears the key. */
export function startDemoAgent(
  { url, config }: { url: string; config: Pick<Config, 'AGORA_DATA_DIR'> },
  say: (line: string) => void,
): DemoAgent {
  const stopping = new AbortController();
  const client = demoAgentClient(url, resolve(config.AGORA_DATA_DIR));
  const complain = (error: unknown) => {
    if (!stopping.signal.aborted) say(`The demo agent does not run: ${explain(error)}`);
  };
  const running = client
    .then((agora) =>
      createWorker({
        agora,
        categories: ['general', 'content_creation'],
        concurrency: 4,
        accepts,
        handle: async ({ task }) => ({ ...reportOn(textOf(task)) }),
        onError: () => {},
      }).run({ signal: stopping.signal }),
    )
    .catch(complain);
  return {
    started: client.then(
      () => {},
      () => {},
    ),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const textOf = ({ input }: Task): string => (typeof input.description === 'string' ? input.description : '');

/** A shorter description that the platform has routed here asks for something else. Who hires it by name means it. */
const leastRoutedWords = 15;

/** It does what its profile says, and nothing that it would only pretend to do. */
function accepts(task: Task): true | string {
  const more = ['files', 'code', 'repo', 'acceptance'].filter((key) => task.input[key] !== undefined);
  if (more.length > 0) return `I only report on a description. This task also has: ${more.join(', ')}.`;
  const { words } = reportOn(textOf(task));
  if (words === 0) return 'I report on a description, and this task has none.';
  if (task.status === 'submitted' || words >= leastRoutedWords) return true;
  return `I report on texts of ${leastRoutedWords} words or more, and answer no questions.`;
}

function explain(error: unknown): string {
  if (error instanceof AuthenticationError) {
    return 'its account is another data directory’s. Run it there, or set DEMO_AGENT=off.';
  }
  return `${error instanceof Error ? error.message : String(error)} Set DEMO_AGENT=off to do without.`;
}
