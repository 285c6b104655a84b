import { randomUUID } from 'node:crypto';
import { apiPrefix } from '@agora-market/contract';
import { expect } from 'vitest';
import { giteaHooks } from '../../support/gitea.ts';
import { type HostileCase, times } from '../hostile-case.ts';

/** What a repository says in its `.agora.yml`, which whoever may write to it writes. */

const mostBytes = 4 * 1024;
const full = (unit: string, head = '', tail = '') =>
  head + unit.repeat(Math.floor((mostBytes - head.length - tail.length) / unit.length)) + tail;
const aliases = times(9).map((n) => `a${n + 1}: &a${n + 1} [${times(9).map(() => `*a${n}`)}]`);

const files: Record<string, string> = {
  'aliases of aliases': ['a0: &a0 [x]', ...aliases].join('\n'),
  'an alias of itself': 'a: &a [*a]\n<<: *a',
  'lists in lists, closed and not': full('['),
  'maps in maps': full('{a: '),
  'lists in lists by lines': full('- '),
  'maps in maps by indentation': times(85)
    .map((n) => `${' '.repeat(n)}a:`)
    .join('\n'),
  'keys of keys': full('? '),
  'a thousand keys': times(800)
    .map((n) => `k${n}:`)
    .join('\n'),
  'the same key': full('a: 1\n'),
  tags: full('!!map ', 'a: '),
  'odd keys': '__proto__: { checks: [] }\nconstructor: 1\ntoString: 2\n"": 3\n? [a]\n: b\n',
  'a path of many parts': full('a/', 'heldOut: { repository: a/b, path: ', '}'),
  'wrong types': 'checks: { 0: a }\nbudget: .inf\nagents: 2026-01-01\n',
  'a number without end': full('9', 'budget: '),
  'quotes that never close': full('\\"', 'a: "'),
  'a block text': full('x\n  ', 'a: |+9\n  '),
  directives: full('%YAML 1.2\n'),
  documents: full('---\n...\n'),
  'a flow over lines': full('\n', 'a: [', ']'),
  'bytes of no text': full('\0\u{feff}\u{2028}'),
  'one byte too many': full('#').concat('##'),
};

export const forgeCases: HostileCase[] = [
  {
    place: 'forges: settings files',
    input: `each of ${Object.keys(files).length} settings files at its cap, for two issues each`,
    async prepare({ newOwner, server, surroundings: { gitea } }) {
      const { agora } = await newOwner();
      const place = { forge: 'gitea' as const, baseUrl: gitea.url };
      await agora.github.connect({ ...place, token: gitea.octocat.token });
      const budgets = { maxBudget: 5, dailyBudget: 5 };
      const { id, secret } = await agora.github.setIntake({ ...place, repository: gitea.state.repository, ...budgets });
      const texts = Object.values(files);
      let reads = 0;
      gitea.state.file = () => texts[reads++ % texts.length] as string;
      return async () => {
        const tickets = times(2 * texts.length).map(() =>
          gitea.state.open({ number: giteaHooks.nextNumber(gitea, false), title: 'One' }),
        );
        for (const ticket of tickets) {
          const hook = { secret: secret as string, id: randomUUID() };
          const sent = giteaHooks.commented(gitea, ticket, gitea.state.say(ticket, '/agora'), hook);
          const url = `${server.url()}${apiPrefix}/github/intakes/${id}/webhook`;
          const reply = await fetch(url, { method: 'POST', ...sent });
          await reply.arrayBuffer();
          expect(reply.status).toBe(202);
        }
        const answered = () =>
          tickets.filter(({ said }) => said.some(({ body }) => body.includes('Mend `.agora.yml`')));
        await expect.poll(() => answered().length, { timeout: 120_000, interval: 500 }).toBe(tickets.length);
      };
    },
  },
];
