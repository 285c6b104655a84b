import type { TaskHandler } from '@agora-market/sdk/worker';
import { tellProgress } from '../command/tell-progress.ts';
import type { Log } from '../log.ts';
import type { Performer } from '../performer.ts';
import { connectA2a } from './connect.ts';
import { follow } from './follow.ts';
import { briefOf, deliver } from './message.ts';

/**
 * An agent of another maker, reached by A2A 1.0. The operator of the worker names its address, so it may be a private one.
 * The agent gets the brief; what it returns is the output, and its files are put in /workspace/output.
 */
export async function performByA2a(url: string, token: string | undefined, log: Log): Promise<Performer> {
  const { client, name } = await connectA2a(url, token);
  const handle: TaskHandler = async (work) => {
    const tell = tellProgress(work, log);
    const answer = await follow(client, briefOf(work.task), work, tell);
    return { ...(await deliver(answer, work.sandbox)), model: name };
  };
  return { name: `${name} (A2A)`, handle };
}
