import { afterAll, beforeAll, expect, test } from 'vitest';
import { hire, makePair, type Pair } from '../../server/test/api/scene.ts';
import { startTestServer, type TestServer } from '../../server/test/support/harness.ts';
import { bearer, call, mcpClient } from './clients.ts';

// Hosts give a model all of a result, and refuse one above their limit.

let server: TestServer;
let pair: Pair;
beforeAll(async () => {
  server = await startTestServer();
  pair = await makePair(server, { credits: 1_000_000 });
});
afterAll(() => server?.close());

const words = (count: number) => 'background '.repeat(count).trim();
const buyer = () => mcpClient(server, bearer(pair.buyer.token));

async function started(input: object) {
  const { id: taskId } = await hire(pair, { input: { description: 'Summarise the log', ...input } });
  const client = await mcpClient(server, bearer(pair.agent.key));
  const told = await call(client, 'start_task', { taskId });
  return { taskId, client, told };
}

/** What it costs at most, at two characters a token; the deep test counts with a tokenizer. */
const costOf = ({ text, data }: { text: string; data: object }) => (text.length + JSON.stringify(data).length) / 2;
const most = 16_000;

test('a task with a long input and output is cut, and says how to read on', async () => {
  const notes = words(8_000);
  const { taskId, client, told } = await started({ notes });
  expect(costOf(told)).toBeLessThan(most);
  const result = words(20_000);
  expect((await call(client, 'complete_task', { taskId, output: { result } })).isError).toBe(false);
  const shown = await call(await buyer(), 'get_task', { taskId });
  expect(costOf(shown)).toBeLessThan(most);
  expect(shown.data).toMatchObject({ id: taskId, status: 'completed', cut: ['input.notes', 'output.result'] });
  expect(shown.text).toContain(`agora://tasks/${taskId}`);
  expect(shown.text).toContain('part "input", "output", "patch" or "messages"');

  let text = '';
  for (let offset: number | null = 0; offset !== null; ) {
    const { data } = await call(await buyer(), 'get_task', { taskId, part: 'output', offset });
    expect(data.cut).toBeUndefined();
    text += data.part.text;
    offset = data.part.next;
  }
  expect(JSON.parse(text)).toEqual({ result });
  const { contents } = await (await buyer()).readResource({ uri: `agora://tasks/${taskId}` });
  expect(contents[0]).toMatchObject({ text: expect.stringContaining(result) });
});

// Printed as JSON, each of these is longer than it looks.
const quoted = [
  ['quotes', '"'.repeat(9)],
  ['backslashes', '\\'.repeat(9)],
  ['newlines', '\n\n\n\n'],
  ['control characters', '\u0001\u001b[0m\t\r'],
  ['emoji', '👩‍👩‍👧‍👦😀'],
  ['all of them', 'a"\\\n\u0001😀 b\u2028'],
] as const;

test.each(quoted)('of %s, pieces join to all of it', async (_, characters) => {
  const result = `The log as it is: ${characters.repeat(Math.ceil(30_000 / characters.length))}`;
  const { taskId, client } = await started({});
  const lines = result.replaceAll(/.{100}/gsu, '$&\n');
  await call(client, 'write_sandbox_file', { taskId, path: 'log', content: lines });
  const contents: string[] = [];
  for (let offset: number | null = 1; offset !== null; ) {
    const told = await call(client, 'read_sandbox_file', { taskId, path: '/workspace/log', offset });
    expect(costOf(told)).toBeLessThan(most);
    expect([told.data.cut, told.text.startsWith(told.data.content)]).toEqual([undefined, true]);
    contents.push(told.data.content);
    offset = told.data.nextOffset;
  }
  expect(contents.join('\n') === lines).toBe(true);

  const ran = await call(client, 'run_in_sandbox', { taskId, command: 'cat log; cat log >&2' });
  expect(costOf(ran)).toBeLessThan(most);
  for (const shown of [ran.data.stdout, ran.data.stderr]) {
    const [first, left, last] = shown.split(/\n… (\d+) characters are left out here …\n/);
    expect([lines.startsWith(first), lines.endsWith(last)]).toEqual([true, true]);
    expect(first.length + Number(left) + last.length).toBe(lines.length);
    expect(ran.text).toContain(shown);
  }
  expect(ran.data.cut).toBeUndefined();

  await call(client, 'complete_task', { taskId, output: { result } });
  const owner = await buyer();
  const whole = {
    output: JSON.stringify((await pair.buyer.agora.tasks.get(taskId)).output, null, 1),
    patch: await (await pair.buyer.agora.tasks.patch(taskId)).text(),
  };
  for (const [part, text] of Object.entries(whole)) {
    const pieces: string[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const told = await call(owner, 'get_task', { taskId, part, offset });
      expect(costOf(told)).toBeLessThan(most);
      expect([told.data.cut, told.text.includes(told.data.part.text)]).toEqual([undefined, true]);
      pieces.push(told.data.part.text);
      offset = told.data.part.next;
    }
    expect([part, pieces.length > 1, pieces.join('') === text]).toEqual([part, true, true]);
  }
});

test('an output of a stranger cannot grow by its shape', async () => {
  const { taskId, client } = await started({});
  const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`);
  const wide = Array.from({ length: 30 }, () => Array.from({ length: 500 }, () => ({})));
  const output = {
    deep,
    wide,
    ['k'.repeat(5_000)]: 1,
    many: Array.from({ length: 20_000 }, (_, i) => i),
    result: words(500),
  };
  expect(await call(client, 'complete_task', { taskId, output })).toMatchObject({ data: { status: 'completed' } });
  const shown = await call(await buyer(), 'get_task', { taskId });
  expect(costOf(shown)).toBeLessThan(most);
  expect(shown.data.output.many[0]).toBe(0);
});

test('of a long output of a command its ends are shown, and all of it is kept', async () => {
  const { taskId, client } = await started({});
  const run = (args: object) => call(client, 'run_in_sandbox', { taskId, ...args });
  const told = await run({ command: 'seq 1 40000' });
  expect(costOf(told)).toBeLessThan(most);
  expect(told.data.stdout).toMatch(/^1\n2\n[\s\S]+characters are left out here[\s\S]+\n40000\n$/);
  const [, path] = /(\/tmp\/output-\S+\.txt)/.exec(told.text) ?? [];
  expect((await run({ command: `wc -l < ${path}` })).data.stdout).toBe('40000\n');
  const few = await run({ command: 'seq 1 40000', head: 2, tail: 1 });
  expect(few.data.stdout).toBe('1\n2\n… 39997 lines are left out here …\n40000');
  expect((await run({ command: 'seq 1 3', head: 2, tail: 1 })).data.stdout).toBe('1\n2\n3\n');
});

test('a file is read by its lines', async () => {
  const { taskId, client } = await started({});
  const lines = Array.from({ length: 9_000 }, (_, i) => `line ${i + 1} of the log`);
  await call(client, 'write_sandbox_file', { taskId, path: 'log', content: lines.join('\n') });
  const read = (args: object) => call(client, 'read_sandbox_file', { taskId, path: '/workspace/log', ...args });
  expect((await read({ offset: 10, limit: 2 })).data).toMatchObject({
    ...{ content: 'line 10 of the log\nline 11 of the log', lines: { from: 10, to: 11, of: 9_000 }, nextOffset: 12 },
  });
  const seen: string[] = [];
  for (let offset: number | null = 1; offset !== null; ) {
    const told = await read({ offset });
    expect(costOf(told)).toBeLessThan(most);
    seen.push(told.data.content);
    offset = told.data.nextOffset;
  }
  expect(seen.join('\n')).toBe(lines.join('\n'));
  expect((await read({ offset: 9_001 })).data).toMatchObject({ content: '', nextOffset: null });
  const { contents } = await client.readResource({ uri: `agora://tasks/${taskId}/sandbox/workspace/log` });
  expect(contents).toMatchObject([{ text: lines.join('\n') }]);
});

test('of a line that is too long its beginning is shown, and how to see the rest', async () => {
  const { taskId, client } = await started({});
  await call(client, 'write_sandbox_file', { taskId, path: 'one', content: words(20_000) });
  const told = await call(client, 'read_sandbox_file', { taskId, path: '/workspace/one' });
  expect(costOf(told)).toBeLessThan(most);
  expect(told.data).toMatchObject({ lines: { from: 1, to: 1, of: 1 }, nextOffset: null, cut: ['content'] });
  expect(told.text).toContain('cut -c');
});

test('a list of tasks shows each in a row, and none is lost to a limit', async () => {
  const lister = await makePair(server, { credits: 1_000_000 });
  const input = { description: words(2_000), notes: words(4_000) };
  const made: string[] = [];
  for (let i = 0; i < 21; i++) made.unshift((await hire(lister, { input })).id);
  const client = await mcpClient(server, bearer(lister.buyer.token));
  const listed: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await call(client, 'list_tasks', { cursor });
    expect(costOf(page)).toBeLessThan(most);
    expect(page.data.cut).toBeUndefined();
    listed.push(...page.data.data.map(({ id }: { id: string }) => id));
    cursor = page.data.pagination.nextCursor;
  }
  expect(listed).toEqual(made);
  expect(await call(client, 'list_tasks', { pageSize: 21 })).toMatchObject({ isError: true });
});
