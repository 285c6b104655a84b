import { beforeAll, describe, expect, test } from 'vitest';
import { hireAndStart, makePair, type Pair, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();
let pair: Pair;
let id: string;
const sandbox = () => pair.agent.agora.sandbox;
beforeAll(async () => {
  pair = await makePair(server);
  const files = { 'dir/a.txt': 'text', 'pixel.bin': { content: '/wD+gA==', encoding: 'base64' as const } };
  ({ id } = await hireAndStart(pair, { input: { files } }));
  await sandbox().exec(id, {
    command: 'ln -s /etc/passwd outside; ln -s dir/a.txt inside; ln -s /etc etc; mkfifo pipe',
  });
});

describe('a path that leads outside', () => {
  const escapes = [
    '../etc/passwd',
    '/etc/passwd',
    'dir/../../etc/passwd',
    '/workspace/../etc/passwd',
    'outside',
    'etc/passwd',
  ];

  test.each(escapes)('%s cannot be read or written', async (path) => {
    const read = await refusalOf(sandbox().read(id, { path }));
    expect(['400 INVALID_PATH', '404 FILE_NOT_FOUND']).toContain(read);
    const write = await refusalOf(sandbox().write(id, { path, content: 'gotcha' }));
    expect(['400 INVALID_PATH', '404 FILE_NOT_FOUND']).toContain(write);
  });

  test.each(['..', '/', '/etc', '/proc', 'etc', '/workspace/..'])('%s cannot be listed', async (path) => {
    expect(await refusalOf(sandbox().list(id, { path }))).toBe('400 INVALID_PATH');
  });

  test.each(['missing', 'dir/a.txt'])('%s is no place to run a command in', async (cwd) => {
    const { data } = await sandbox().exec(id, { command: 'echo ran', cwd });
    expect(data.exitCode).not.toBe(0);
    expect(data.stdout).toBe('');
  });

  test('a symbolic link inside is followed', async () => {
    expect((await sandbox().read(id, { path: 'inside' })).data.content).toBe('text');
  });
});

describe('files of all kinds', () => {
  test('binary content comes and goes as base64, unchanged', async () => {
    expect((await sandbox().read(id, { path: 'pixel.bin' })).data).toMatchObject({
      content: '/wD+gA==',
      encoding: 'base64',
      sizeBytes: 4,
      truncated: false,
    });
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    const content = bytes.toString('base64');
    const written = await sandbox().write(id, { path: 'deep/er/all.bin', content, encoding: 'base64' });
    expect(written.data.sizeBytes).toBe(256);
    expect((await sandbox().read(id, { path: 'deep/er/all.bin' })).data).toMatchObject({ content, encoding: 'base64' });
  });

  test('text of any script is utf8, and an empty file is empty', async () => {
    for (const content of ['', 'Grüße 你好 🎉\n', '\ufeffwith a mark', 'a\r\nb']) {
      await sandbox().write(id, { path: 'text.txt', content });
      expect((await sandbox().read(id, { path: 'text.txt' })).data).toMatchObject({ content, encoding: 'utf8' });
    }
  });

  test('executable files run, others do not', async () => {
    const content = '#!/bin/sh\necho ran\n';
    await sandbox().write(id, { path: 'run.sh', content, executable: true });
    await sandbox().write(id, { path: 'text.sh', content });
    expect((await sandbox().exec(id, { command: './run.sh' })).data.stdout).toBe('ran\n');
    expect((await sandbox().exec(id, { command: './text.sh' })).data.exitCode).toBe(126);
  });

  test.each<[string, string, string]>([
    ['read', 'missing.txt', '404 FILE_NOT_FOUND'],
    ['read', 'dir', '400 INVALID_PATH'],
    ['read', 'pipe', '400 INVALID_PATH'],
    ['read', 'x'.repeat(300), '400 INVALID_PATH'],
    ['list', 'missing', '404 FILE_NOT_FOUND'],
    ['list', 'dir/a.txt', '400 INVALID_PATH'],
    ['write', 'dir', '400 INVALID_PATH'],
    ['write', 'dir/a.txt/below', '400 INVALID_PATH'],
  ])('%s of %s is %s', async (verb, path, wanted) => {
    const call = { read: () => sandbox().read(id, { path }), list: () => sandbox().list(id, { path }) };
    const write = () => sandbox().write(id, { path, content: 'x' });
    expect(await refusalOf((verb === 'write' ? write : call[verb as 'read' | 'list'])())).toBe(wanted);
  });

  test('a directory is listed in pages, as any collection, and a cursor that nobody gave is 400', async () => {
    await sandbox().exec(id, { command: 'mkdir -p pages; cd pages; seq 101 350 | xargs touch' });
    const names: string[] = [];
    let cursor: string | null | undefined;
    do {
      const query = { path: 'pages', pageSize: 99, ...(cursor && { cursor }) };
      const { entries, pagination, truncated } = (await sandbox().list(id, query)).data;
      expect([pagination.pageSize, truncated]).toEqual([99, false]);
      expect(entries.length).toBeLessThanOrEqual(99);
      names.push(...entries.map(({ name }) => name));
      cursor = pagination.nextCursor;
    } while (cursor !== null);
    expect(names).toEqual(Array.from({ length: 250 }, (_, at) => String(101 + at)));
    expect((await sandbox().list(id, { path: 'pages' })).data.entries).toHaveLength(100);
    for (const query of [{ cursor: 'x' }, { cursor: 'IjBnIg' }, { pageSize: 101 }, { pageSize: 0 }])
      expect(await refusalOf(sandbox().list(id, query))).toBe('400 VALIDATION_ERROR');
  });

  test('of 200,000 entries 10,000 are looked at, and the reply says so', async () => {
    await sandbox().exec(id, { command: 'mkdir huge; cd huge; seq 1 200000 | xargs touch', timeoutMs: 120_000 });
    const { entries, truncated, pagination } = (await sandbox().list(id, { path: 'huge' })).data;
    expect([entries.length, truncated]).toEqual([100, true]);
    expect(pagination.nextCursor).not.toBeNull();
    await sandbox().exec(id, { command: 'rm -r huge', timeoutMs: 120_000 });
  });

  test('the buyer’s inputs can be listed and read at /input, and not written', async () => {
    const { entries } = (await sandbox().list(id, { path: '/input' })).data;
    expect(entries.length).toBeGreaterThan(0);
    const [file] = entries.filter(({ type }) => type === 'file');
    const read = (await sandbox().read(id, { path: file?.path as string })).data;
    expect(read.path).toBe(`/input/${file?.name}`);
    expect(await refusalOf(sandbox().write(id, { path: read.path, content: 'x' }))).toBe('400 INVALID_PATH');
  });

  test('content that is not base64 is 400, content past the body limit 413', async () => {
    const bad = sandbox().write(id, { path: 'x', content: 'not base64!', encoding: 'base64' });
    expect(await refusalOf(bad)).toBe('400 VALIDATION_ERROR');
    const big = sandbox().write(id, { path: 'x', content: 'x'.repeat(1024 * 1024) });
    expect(await refusalOf(big)).toBe('413 PAYLOAD_TOO_LARGE');
  });
});

describe('inputs that cannot be written', () => {
  test.each<[string, Record<string, string>]>([
    ['leads outside', { '../x': 'x' }],
    ['is absolute', { '/etc/passwd': 'x' }],
    ['has an empty part', { 'a//b': 'x' }],
    ['is a dot', { './a': 'x' }],
    ['is a file and a directory', { a: 'x', 'a/b': 'x' }],
    ['is 65 directories deep', { [`${'d/'.repeat(64)}x`]: 'x' }],
    ['is longer than the sandbox takes', { [`${`${'d'.repeat(200)}/`.repeat(6)}x`]: 'x' }],
    ['has a part too long', { [`${'x'.repeat(256)}`]: 'x' }],
  ])('a file whose path %s is refused at submission, and nothing is held', async (_why, files) => {
    const { balance } = await pair.buyer.agora.vault.getPool();
    const submit = pair.buyer.agora.tasks.submit({
      taskType: 'general',
      maxBudget: 1000,
      input: { files },
      agentId: pair.agent.id,
    });
    expect(await refusalOf(submit)).toBe('400 VALIDATION_ERROR');
    expect((await pair.buyer.agora.vault.getPool()).balance).toBe(balance);
  });
});

test('an input as deep as is allowed comes through delivery, and the gate finds it', async () => {
  const path = `${'d/'.repeat(63)}x`;
  const input = { files: { [path]: 'deep' }, acceptance: { checks: [{ name: 'deep', command: `grep deep ${path}` }] } };
  const another = await makePair(server);
  const task = await hireAndStart(another, { input });
  await another.agent.agora.sandbox.exec(task.id, { command: 'true' });
  const done = await another.agent.agora.tasks.complete(task.id, { output: { result: 'Done' } });
  expect(done).toMatchObject({ status: 'completed' });
});
