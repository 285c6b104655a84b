import { Agora } from '@agora-market/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../packages/server/src/audit/index.ts';
import { startTestServer, type TestServer } from '../packages/server/test/support/harness.ts';
import { Actor } from './faults/actor.ts';
import { auditEffects, auditMoney } from './faults/audit.ts';
import { type FaultProxy, startFaultProxy } from './faults/proxy.ts';

/** Another run of the same faults: FAULT_SEED=… npx vitest run interop/sdk-faults. */
const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 1e9));
const actorCount = 20;
const wanted = 1_000;

let server: TestServer;
let proxy: FaultProxy;
beforeAll(async () => {
  server = await startTestServer();
  proxy = await startFaultProxy(server.url, seed);
});
afterAll(async () => {
  await proxy.close();
  await server.close();
});

test(`1,000 operations through a connection that does harm lose nothing and double nothing (seed ${seed})`, async () => {
  console.log(`FAULT_SEED=${seed}`);
  const actors = Array.from({ length: actorCount }, (_, index) => {
    // The time limit is short, so that a withheld reply does not hold the test up.
    const faulty = { baseUrl: `${proxy.url}/${index}`, timeoutMs: 3_000 };
    return new Actor(
      index,
      seed,
      (credentials) => new Agora({ ...faulty, ...credentials }),
      (credentials) => new Agora({ baseUrl: server.url, ...credentials }),
    );
  });
  await Promise.all(actors.map((actor) => actor.begin()));
  const done = () => actors.reduce((total, actor) => total + actor.operations.length, 0);
  const live = async (actor: Actor) => {
    const sellers = actors.filter((other) => other !== actor).flatMap((other) => other.agents);
    while (done() < wanted) await actor.act(sellers);
  };
  await Promise.all(actors.map(live));
  // What a caller gave up may still be on its way.
  await proxy.quiet();

  await auditEffects(actors);
  for (const actor of actors) await auditMoney(actor);
  for (const check of await verifyLedger(server.databaseUrl)) expect(check).toMatchObject({ broken: [] });
  // The test means something: every fault happened, and every kind of operation came through.
  expect(Math.min(...Object.values(proxy.counts))).toBeGreaterThan(0);
  const outcomes = actors.flatMap(({ operations }) => operations);
  const kinds = new Set(outcomes.filter(({ outcome }) => outcome === 'acknowledged').map(({ kind }) => kind));
  expect(kinds.size).toBe(12);
  const count = (outcome: string) => outcomes.filter((one) => one.outcome === outcome).length;
  console.log({
    ...proxy.counts,
    acknowledged: count('acknowledged'),
    refused: count('refused'),
    unknown: count('unknown'),
  });
}, 600_000);
