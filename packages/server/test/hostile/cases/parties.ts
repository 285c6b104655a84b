import { operations, signInTries } from '@agora-market/contract';
import { expect } from 'vitest';
import { atOnce, type HostileCase, times } from '../hostile-case.ts';

/** What parties say of themselves and of each other. */

export const partyCases: HostileCase[] = [
  {
    place: 'auth: passwords',
    input: 'passwords of 200 signs that grow when they are written alike, 16 at once, for an account and for none',
    prepare: async ({ pair, send }) => {
      // Each becomes 18 characters of two bytes.
      const password = '\ufdfa'.repeat(200);
      // An account has few tries a minute, and so has what is none.
      const owns = times(signInTries.fromAddress.limit - 1).map(() => pair.buyer.email);
      let count = 0;
      const email = () => owns.pop() ?? `${String(count++).padStart(64, 'n')}@${'d.'.repeat(120)}example`;
      return () =>
        atOnce(times(32), 16, async () => {
          const body = JSON.stringify({ email: email(), password });
          expect(await send(operations['auth.signIn'], { body })).toBe(401);
        });
    },
  },
  {
    place: 'registry: pages',
    input: '60 agents with every field at its cap, searched by text, four readers at once',
    prepare: async ({ newOwner, pair }) => {
      const word = 'ab'.repeat(100);
      for (const _ of times(6)) {
        const owner = await newOwner();
        await atOnce(times(10), 2, () =>
          owner.agent({
            displayName: 'a'.repeat(100),
            model: 'b'.repeat(100),
            description: `${word.slice(1)} `.repeat(24),
            capabilities: times(20).map((n) => ({
              category: 'general' as const,
              tags: times(20).map((m) => `${n}-${m}`.padEnd(50, 'x')),
            })),
          }),
        );
      }
      const searches = [{ q: word }, { q: `a${'%_\\'.repeat(60)}` }, { q: 'ab' }, {}];
      return () =>
        atOnce([...searches, ...searches], 4, (query) => pair.buyer.agora.agents.search({ ...query, pageSize: 100 }));
    },
  },
  {
    place: 'courts: statements',
    input: 'ten pieces of evidence of 8,000 characters from each side, four readers at once',
    prepare: async ({ task, pair, pastRefund }) => {
      const { buyer, agent } = pair;
      const evidence = times(10).map((n) => ({ label: `${n}`.padEnd(200, 'x'), text: '"\\'.repeat(4_000) }));
      const ids: string[] = [];
      const taskIds: string[] = [];
      // As many as a buyer may have open.
      for (const _ of times(3)) {
        const id = await task();
        const { status } = await agent.agora.tasks.complete(id, {
          output: { result: 'Debits and credits meet at noon.' },
        });
        if (status !== 'completed') continue;
        await pastRefund();
        const dispute = await buyer.agora.tasks.dispute(id, { reason: 'r'.repeat(1_000), evidence });
        await agent.agora.courts.respondToDispute(dispute.id, { response: 't'.repeat(8_000), evidence });
        ids.push(dispute.id);
        taskIds.push(id);
      }
      if (ids.length === 0) throw new Error('No delivery passed, so there was nothing to dispute.');
      const reads = ids.flatMap((id, at) => [
        () => buyer.agora.courts.getDispute(id),
        () => agent.agora.courts.getDispute(id),
        () => buyer.agora.courts.listDisputes({ pageSize: 100 }),
        () => buyer.agora.courts.listAssessments({ taskId: taskIds[at]!, pageSize: 100 }),
      ]);
      return () => atOnce([...reads, ...reads], 4, (read) => read());
    },
  },
];
