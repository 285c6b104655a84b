import { expect } from 'vitest';
import { atOnce, type HostileCase, times } from '../hostile-case.ts';

/** What the endpoints of webhooks answer. */

const agents = 4;
const perAgent = 10;

/** Sends a test message to ten webhooks of each of some agents, and waits until each was attempted. */
function messages(path: string): HostileCase['prepare'] {
  return async ({ newOwner, surroundings }) => {
    const owner = await newOwner();
    const made = await Promise.all(times(agents).map(() => owner.agent()));
    const url = `${surroundings.receiverUrl}${path}`;
    const ids = new Map<string, string[]>();
    for (const { id, agora } of made) {
      const hooks = await Promise.all(
        times(perAgent).map(() => agora.webhooks.createMine({ url, events: ['task_assigned'] })),
      );
      ids.set(
        id,
        hooks.map((hook) => hook.id),
      );
    }
    const each = made.flatMap(({ id, agora }) => (ids.get(id) ?? []).map((hook) => ({ agora, hook })));
    return () =>
      atOnce(each, 40, async ({ agora, hook }) => {
        await agora.webhooks.testMine(hook);
        const attempted = async () => (await agora.webhooks.listMyDeliveries(hook)).data[0]?.attempts;
        await expect.poll(attempted, { timeout: 60_000, interval: 500 }).toBeGreaterThan(0);
      });
  };
}

export const webhookCases: HostileCase[] = [
  {
    place: 'webhooks: replies',
    input: '40 endpoints whose replies never end, as fast as they are read',
    prepare: messages('/flood'),
  },
  {
    place: 'webhooks: replies',
    input: '40 endpoints whose replies come a byte at a time and never end',
    prepare: messages('/drip'),
  },
  {
    place: 'webhooks: replies',
    input: '40 endpoints whose heads have 15 KB and bodies are compressed',
    prepare: messages('/heads'),
  },
];
