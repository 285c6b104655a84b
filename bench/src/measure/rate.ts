import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, openConnection } from '../lifecycle/connection.ts';

export interface Turn {
  port: number;
  /** Whole requests, sent in turns. */
  requests: string[];
  /** What every reply says, with status 200. */
  expected: string;
  clients: number;
  seconds: number;
}

export interface Rate {
  perSecond: number;
  /** All replies, those before and after the measured time too. */
  answered: number;
}

/** Each client sends the next request as soon as it has its reply. Rejects if a reply is not as expected. */
export async function rateOf({ port, requests, expected, clients, seconds }: Turn): Promise<Rate> {
  let answered = 0;
  let next = 0;
  let failed: Error | null = null;
  const fail = (error: Error) => {
    failed ??= error;
  };
  const connections: Connection[] = [];
  for (let nth = 0; nth < clients; nth++) {
    const send = () => connections[nth]?.send(requests[next++ % requests.length] as string);
    const onReply = (status: number, body: string) => {
      if (status !== 200 || !body.includes(expected)) return fail(new Error(`answered with ${status} ${body}`));
      answered += 1;
      return send();
    };
    connections.push(await openConnection(port, onReply, fail));
  }
  for (const connection of connections) connection.send(requests[next++ % requests.length] as string);
  await sleep(500);
  const from = { answered, at: performance.now() };
  await sleep(seconds * 1000);
  const perSecond = ((answered - from.answered) * 1000) / (performance.now() - from.at);
  for (const connection of connections) connection.close();
  if (failed) throw failed;
  // What was under way is answered before the next turn begins.
  await sleep(300);
  return { perSecond, answered };
}
