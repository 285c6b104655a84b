import { lookInto, type Query } from '../../chaos/look.ts';
import { until } from '../../steps/world.ts';
import { endedTasks, partiesOf, registerParties, store } from '../../support/reputation-log.ts';
import type { HostileCase } from '../hostile-case.ts';

/** What the reader of the event log does with much of it at once, as after a time in which nobody read. */

const crowd = partiesOf(2_000);
const events = 20_000;

const asClient = (query: Query) => ({ query }) as unknown as Parameters<typeof store>[0];

export const reputationCases: HostileCase[] = [
  {
    place: 'registry: event log',
    input: '20,000 tasks of 2,000 agents that have ended, read for their reputations',
    prepare: async ({ server }) => {
      await lookInto(server, async (query) => {
        // Search and routing need not know them.
        await query('alter table agents disable trigger user');
        await registerParties(asClient(query), crowd);
        await query('alter table agents enable trigger user');
      });
      return () =>
        lookInto(server, async (query) => {
          await query('begin');
          for (let logged = 0; logged < events; logged += 2_000) await store(asClient(query), endedTasks(2_000, crowd));
          await query('commit');
          const isRead = async () =>
            (await query(`select from outbox_readers where seq < (select max(seq) from events)`)).length === 0;
          await until('all is read', isRead, 120_000);
        });
    },
  },
];
