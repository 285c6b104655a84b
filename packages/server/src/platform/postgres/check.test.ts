import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { checkDatabase } from './check.ts';

const { url } = await databaseForFile();
const refusal = /cannot be used: a connection pooler such as PgBouncer .* Connect to PostgreSQL itself/;

let pooler: Server | undefined;
afterEach(() => void pooler?.close());

/** The address of a pooler that stands before the database. */
async function behind(standing: Server): Promise<string> {
  pooler = standing;
  await new Promise<void>((resolve) => standing.listen(0, '127.0.0.1', resolve));
  const near = new URL(url);
  near.hostname = '127.0.0.1';
  near.port = String((standing.address() as AddressInfo).port);
  return near.href;
}

test('a pooler that passes over the settings of a session is refused', async () => {
  const { hostname, port } = new URL(url);
  const pooled = await behind(
    createServer((near) => {
      const there = connect(`${decodeURIComponent(hostname)}/.s.PGSQL.${port}`);
      // The first that a session says has its settings.
      near.once('data', (said: Buffer) => {
        there.write(said.toString('latin1').replace('statement_timeout=29s', 'statement_timeout=10s'), 'latin1');
        near.pipe(there);
      });
      there.pipe(near);
      for (const end of [near, there]) end.on('error', () => {});
    }),
  );
  await expect(checkDatabase(pooled)).rejects.toThrow(refusal);
});

test('so is one that refuses them', async () => {
  const fields = ['SFATAL', 'VFATAL', 'C08P01', 'Munsupported startup parameter: options', ''];
  const body = Buffer.from(`${fields.join('\0')}\0`);
  const head = Buffer.from([0x45, 0, 0, 0, body.length + 4]);
  const pooled = await behind(
    createServer((near) => near.once('data', () => near.end(Buffer.concat([head, body]))).on('error', () => {})),
  );
  await expect(checkDatabase(pooled)).rejects.toThrow(refusal);
});

test('PostgreSQL itself is not', async () => {
  expect((await checkDatabase(url)).version).toMatch(/^\d+/);
});

test('a database that can be used tells its version and its time', async () => {
  const { version, now } = await checkDatabase(url);
  expect(version).toMatch(/^\d+\.\d+/);
  expect(Number.isNaN(now.getTime())).toBe(false);
});
