import { chmod, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog, readConfig } from '../../src/platform/index.ts';
import { embeddedMajor } from '../../src/platform/postgres/index.ts';
import { openDatabase, serve } from '../../src/serve.ts';
import { type FragileBucket, startFragileBucket } from '../support/bucket.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { databaseLine } from '../support/database-line.ts';
import { startTestServer } from '../support/harness.ts';
import { startProgram } from '../support/program.ts';

/** A start that fails must say what to change. */

let place: string;
let database: TestDatabase;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'agora-start-'));
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  await rm(place, { recursive: true, force: true });
});

const configOf = (env: Record<string, string>) =>
  readConfig({ AGORA_DATA_DIR: join(place, 'data'), PORT: '0', LOG_LEVEL: 'silent', ...env });

describe('a start says what to change', () => {
  test('where the port is taken, before it makes a database', async () => {
    const other: Server = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const dir = join(place, 'untouched');
    const start = serve(configOf({ AGORA_DATA_DIR: dir, PORT: String(port) }));
    await expect(start).rejects.toThrow(
      new RegExp(`127.0.0.1:${port} .HOST and PORT.: another program uses that port.*PORT`),
    );
    expect(await readdir(dir)).not.toContain('postgres');
    other.close();
  });

  test('where the address is none of this machine', async () => {
    const start = serve(configOf({ DATABASE_URL: database.url, HOST: '192.0.2.1' }));
    await expect(start).rejects.toThrow(/192\.0\.2\.1.*does not have that address. Set HOST/);
  });

  test('where PostgreSQL does not answer or does not know the password, without showing it', async () => {
    const closed = serve(configOf({ DATABASE_URL: 'postgres://ann:hush@127.0.0.1:9/agora' }));
    await expect(closed).rejects.toThrow(/"agora" at 127.0.0.1:9 .* user "ann": .*ECONNREFUSED.*Check DATABASE_URL/);
    const wrong = new URL(database.url);
    wrong.password = 'hush';
    const refused = await serve(configOf({ DATABASE_URL: wrong.href })).catch((error: Error) => error.message);
    expect(refused).toMatch(/password authentication failed.*Check DATABASE_URL/);
    expect(refused).not.toContain('hush');
  });

  describe('where the bucket does not answer', () => {
    let bucket: FragileBucket;
    beforeAll(async () => {
      bucket = await startFragileBucket();
    });
    afterAll(() => bucket.close());
    const start = (env: Record<string, string> = {}) =>
      serve(
        configOf({
          DATABASE_URL: database.url,
          S3_BUCKET: 'agora',
          S3_ENDPOINT: bucket.url,
          S3_ACCESS_KEY_ID: 'agora',
          S3_SECRET_ACCESS_KEY: 'hush',
          ...env,
        }),
      );

    test('soon, and begins at the next start when it does', async () => {
      const nobody = start({ S3_ENDPOINT: 'http://127.0.0.1:9' });
      await expect(nobody).rejects.toThrow(
        /"agora" at http:..127.0.0.1:9 .*ECONNREFUSED.*Check S3_ENDPOINT, and that the store runs there/,
      );
      const silent = createServer();
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as { port: number };
      await expect(start({ S3_ENDPOINT: `http://127.0.0.1:${port}` })).rejects.toThrow(
        `"agora" at http://127.0.0.1:${port} cannot be used (no answer within 10 s)`,
      );
      silent.close();
      bucket.isAway = () => true;
      await expect(start()).rejects.toThrow(/Check S3_ENDPOINT/);
      bucket.isAway = () => false;
      const started = await start();
      expect((await fetch(`${started.url}/api/v1/ready`)).status).toBe(200);
      await started.close();
    });
  });

  test('where PostgreSQL is too old', async () => {
    const far = new URL(database.url);
    const relay = createServer((near) => {
      const there = connect(`${decodeURIComponent(far.hostname)}/.s.PGSQL.${far.port || 5432}`);
      near.pipe(there);
      // Of this reply the digits of the version alone are another's.
      there.on('data', (bytes) =>
        near.write(Buffer.from(bytes.toString('latin1').replace(/18\d{4}/, '140022'), 'latin1')),
      );
      for (const [one, other] of [
        [near, there],
        [there, near],
      ] as const)
        one.on('error', () => other.destroy());
      near.on('close', () => there.destroy());
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const { port } = relay.address() as { port: number };
    const url = `postgres://${far.username}:${far.password}@127.0.0.1:${port}${far.pathname}`;
    await expect(serve(configOf({ DATABASE_URL: url }))).rejects.toThrow(
      /^The database "test_\w+" of DATABASE_URL cannot be used: it is PostgreSQL 14, and Agora needs 15 or newer\.$/,
    );
    relay.close();
  });

  test('where the user has no rights on its schema, or on the tables in it', async () => {
    const role = `role_${process.pid}`;
    const asAnother = new URL(database.url);
    asAnother.username = role;
    asAnother.password = 'x';
    const start = () => serve(configOf({ DATABASE_URL: asAnother.href }));
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(`create role ${role} login password 'x'`);
      await expect(start()).rejects.toThrow(
        `cannot be used: user "${role}" may not make tables in its schema "public". ` +
          `Let the schema's owner run: grant usage, create on schema public to "${role}";`,
      );
      await client.query(`grant usage, create on schema public to ${role}`);
      await expect(start()).rejects.toThrow(/its table "agent_budgets" belongs to user "agora".* Connect as "agora"/);
    } finally {
      await client.query(`revoke all on schema public from ${role}; drop role ${role}`);
      await client.end();
    }
  });

  test('where another server serves the data directory', async () => {
    const first = await serve(configOf({ DATABASE_URL: database.url }));
    const line = `AGORA_DATA_DIR (${join(place, 'data')}) is served already, by process ${process.pid}. Stop that one, or set`;
    await expect(serve(configOf({ DATABASE_URL: database.url }))).rejects.toThrow(line);
    await first.close();
    await serve(configOf({ DATABASE_URL: database.url })).then((next) => next.close());
  });

  test('not where a server of the data directory was killed', async () => {
    const script = `
      const { claimDataDir } = await import(process.argv[1]);
      await claimDataDir(process.argv[2]);
      console.log('claimed');
      setInterval(() => {}, 1000);`;
    const module = new URL('../../dist/platform/postgres/sole-server.js', import.meta.url).href;
    const args = ['--input-type=module', '-e', script, module, join(place, 'data')];
    const other = await startProgram({ command: process.execPath, args, ready: (line) => line === 'claimed' });
    await expect(serve(configOf({ DATABASE_URL: database.url }))).rejects.toThrow(`by process ${other.pid()}.`);
    await other.kill();
    await serve(configOf({ DATABASE_URL: database.url })).then((next) => next.close());
  });

  test('where the data directory is a file', async () => {
    const file = join(place, 'file');
    await writeFile(file, '');
    for (const dir of [file, join(file, 'below')]) {
      await expect(serve(configOf({ AGORA_DATA_DIR: dir }))).rejects.toThrow(
        `AGORA_DATA_DIR (${dir}) cannot be used: a file is in its place.`,
      );
    }
  });

  test('where there is no database to look at, and makes none', async () => {
    const dir = join(place, 'absent');
    const open = openDatabase(configOf({ AGORA_DATA_DIR: dir }), createLog('silent'), { mustExist: true });
    await expect(open).rejects.toThrow(/There is no database in AGORA_DATA_DIR .*absent/);
    expect(await readdir(place)).not.toContain('absent');
  });
});

test('a closed data directory, as mktemp makes it, keeps its database to itself: removing it removes all', async () => {
  await chmod(place, 0o711);
  const dir = join(place, 'closed');
  await mkdir(dir, { mode: 0o700 });
  const opened = await openDatabase(configOf({ AGORA_DATA_DIR: dir }), createLog('silent'));
  await opened.stop();
  expect(embeddedMajor(join(dir, 'postgres'))).toBeGreaterThanOrEqual(15);
  expect((await lstat(join(dir, 'postgres', 'cluster'))).isDirectory()).toBe(true);
});

describe('settings', () => {
  test.each([
    'SANDBOX_CPUS=0.01',
    'SANDBOX_MEMORY_BYTES=0',
    'SANDBOX_PROCESSES=0',
    'SANDBOX_PROCESSES=5000',
    'SANDBOX_DISK_BYTES=0',
    'SANDBOX_EXEC_TIMEOUT_MS=0',
    'SANDBOX_MAX_EXEC_MS=0',
    'SANDBOX_MAX_OUTPUT_BYTES=0',
    'SANDBOX_LIFETIME_MS=0',
    'SANDBOX_MAX_LIVE=0',
    'SANDBOX_DRIVER=podman',
    'SANDBOX_DOCKER_HOST=/run/docker.sock',
    'SANDBOX_DOCKER_RUNTIME=a b',
    'EXECUTION_DEADLINE_MS=0',
    'SESSION_IDLE_MS=0',
    'DRY_RUN_MS=60001',
    'DATABASE_URL=mysql://x/y',
    'DATABASE_URL=postgres://u:p@host:port/x',
    'AGORA_ENCRYPTION_KEY=short',
    'TRUST_PROXY=yes',
    'TRUST_PROXY=-1',
    'TRUST_PROXY=0.0.0.0/0',
    'TRUST_PROXY=10.0.0.0/33',
    'TRUST_PROXY=10.0.0.1,',
  ])('%s is refused', (text) => {
    const [name = '', value = ''] = text.split('=');
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });

  test('that are secret are not repeated in the refusal', () => {
    expect(() => readConfig({ DATABASE_URL: 'mysql://u:hush@x/y' })).not.toThrow(/hush/);
  });

  test.each([
    'postgres://u:p@db.example:5432/agora?sslmode=require',
    'postgresql://u@/agora?host=/run/postgresql',
    'postgres://agora:p@%2Ftmp%2Frun:5432/agora',
  ])('DATABASE_URL=%s is taken', (url) => {
    expect(readConfig({ DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });

  test('TRUST_PROXY is nobody, a number of hops or a list', () => {
    const trusted = ['', 'false', '0', 'true', '1', '3', '::1, 10.0.0.0/8'].map(
      (text) => readConfig({ TRUST_PROXY: text }).TRUST_PROXY,
    );
    expect(trusted).toEqual([false, false, false, 1, 1, 3, ['::1', '10.0.0.0/8']]);
  });
});

test('/ready is 503 while the schema lacks a migration of this version', async () => {
  const server = await startTestServer();
  try {
    expect(await server.client().system.ready()).toMatchObject({ status: 'ready' });
    await server.pool.query(
      'delete from schema_migrations where version = (select max(version) from schema_migrations)',
    );
    await expect(server.client().system.ready()).rejects.toMatchObject({ status: 503, code: 'NOT_READY' });
  } finally {
    await server.close();
  }
});

test('/ready is 503 while the database is silent, and ready once it speaks again', async () => {
  const line = await databaseLine(database.url);
  const server = await startTestServer({ database: { url: line.url, drop: async () => {} } });
  try {
    const ready = () => server.client().system.ready();
    expect(await ready()).toMatchObject({ status: 'ready' });
    line.hold();
    let refused: unknown;
    void ready().catch((error) => {
      refused = error;
    });
    // The answer waits for the database as long as the clock says.
    const later = () => {
      server.clock.advance(2_000);
      return refused;
    };
    await expect.poll(later).toMatchObject({ status: 503, code: 'NOT_READY' });
    line.letGo();
    expect(await ready()).toMatchObject({ status: 'ready' });
  } finally {
    await server.close();
    line.cut();
  }
});
