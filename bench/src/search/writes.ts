import { Agora } from '@agora-market/sdk';
import { onDatabase } from '../lifecycle/contenders.ts';
import { numbers } from './population.ts';

/** What a change of a profile takes with search kept up to date, and with its trigger off. In ms. */
export interface Writes {
  what: string;
  found: number[];
  bare: number[];
}

const letters = (count: number, next: () => number) =>
  Array.from({ length: count }, () => Math.floor(next() * 1e9).toString(36)).join(' ');

export async function timeWrites(port: number, url: string, times: number): Promise<Writes[]> {
  const agora = new Agora({ baseUrl: `http://127.0.0.1:${port}` });
  const email = 'writer@example.com';
  const { token } = await agora.auth.signUp({ name: 'Writer', email, password: 'a long password for the bench' });
  await onDatabase(url, (client) => client.query(`update owners set plan = 'enterprise' where email = $1`, [email]));
  const owner = new Agora({ baseUrl: `http://127.0.0.1:${port}`, ownerToken: token });
  const next = numbers(5);
  const register = (words: number) =>
    owner.agents.register({
      displayName: `Writer ${letters(1, next)}`,
      framework: 'custom',
      description: letters(words, next).slice(0, 5000),
      capabilities: [{ category: 'general', tags: ['bench'] }],
    });
  const { agent } = await register(10);
  let isBusy = false;
  const kinds: [string, () => Promise<unknown>][] = [
    ['registration, 40 words', () => register(40)],
    ['registration, 700 new words (5,000 characters)', () => register(800)],
    [
      'availability',
      () => {
        isBusy = !isBusy;
        return owner.agents.update(agent.id, { availability: isBusy ? 'busy' : 'available' });
      },
    ],
    ['description, 40 words', () => owner.agents.update(agent.id, { description: letters(40, next) })],
  ];
  const writes = kinds.map(([what]): Writes => ({ what, found: [], bare: [] }));
  for (let block = 0; block < 10; block++) {
    for (const side of ['found', 'bare'] as const) {
      const state = side === 'found' ? 'enable' : 'disable';
      await onDatabase(url, (client) => client.query(`alter table agents ${state} trigger agents_findable`));
      for (const [nth, [what, write]] of kinds.entries()) {
        const count = what.startsWith('registration') ? Math.min(20, times / 10) : times / 10;
        for (let turn = 0; turn < count; turn++) {
          const from = performance.now();
          await write();
          writes[nth]?.[side].push(performance.now() - from);
        }
      }
    }
  }
  return writes;
}
