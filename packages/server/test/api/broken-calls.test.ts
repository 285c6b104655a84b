import { Agora } from '@agora-market/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Peer, shared, startPeer } from './peer.ts';
import { hireToFix, serverForFile } from './scene.ts';

/** A connection breaks while a command runs; the SDK sends the call again, with its key. */

const server = serverForFile({ config: shared });
let peer: Peer;
beforeAll(async () => {
  peer = await startPeer(server);
});
afterAll(() => peer?.close());

async function executing() {
  const { pair, id } = await hireToFix(server);
  const at = (url: string) => new Agora({ baseUrl: url, agentKey: pair.agent.key, maxRetries: 0 });
  const [here, there] = [at(server.url), at(peer.url)];
  const wrote = async (file: string) => (await here.sandbox.exec(id, { command: `cat ${file} || true` })).data.stdout;
  /** A call whose caller goes once the command has begun. */
  async function broken(agora: Agora, command: string, idempotencyKey: string): Promise<void> {
    const before = await wrote('begun');
    const gone = new AbortController();
    const begun = `echo begun >> begun; ${command}`;
    const options = { signal: gone.signal, idempotencyKey };
    const call = agora.sandbox.exec(id, { command: begun }, options).catch(() => 'broken');
    await expect.poll(() => wrote('begun')).toBe(`${before}begun\n`);
    gone.abort();
    expect(await call).toBe('broken');
  }
  return { id, here, there, wrote, broken };
}

describe.each(['here', 'there'] as const)('a command whose call breaks off, sent %s at first,', (first) => {
  const untilGo = 'while [ ! -e go ]; do sleep 0.05; done; echo ran >> ran; cat ran';
  const again = `echo begun >> begun; ${untilGo}`;

  test.each(['here', 'there'] as const)('runs once, and answers the call that comes again %s', async (second) => {
    const { id, wrote, broken, ...at } = await executing();
    await at.here.sandbox.list(id);
    await broken(at[first], untilGo, 'one');
    const answered = at[second].sandbox.exec(id, { command: again }, { idempotencyKey: 'one' });
    await at.here.sandbox.write(id, { path: 'go', content: '' });
    expect((await answered).data).toMatchObject({ exitCode: 0, stdout: 'ran\n' });
    expect(await wrote('begun')).toBe('begun\n');
    expect((await at[first].sandbox.exec(id, { command: again }, { idempotencyKey: 'one' })).data.stdout).toBe('ran\n');
  });

  test('keeps its result for the call that comes after its end', async () => {
    const { id, wrote, broken, ...at } = await executing();
    await at.here.sandbox.list(id);
    await broken(at[first], untilGo, 'one');
    await at.here.sandbox.write(id, { path: 'go', content: '' });
    await expect.poll(() => wrote('ran')).toBe('ran\n');
    const { data } = await at[first].sandbox.exec(id, { command: again }, { idempotencyKey: 'one' });
    expect(data).toMatchObject({ exitCode: 0, stdout: 'ran\n' });
    expect(await wrote('begun')).toBe('begun\n');
  });
});
