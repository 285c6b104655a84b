import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type SecondApp, serverForFile, startSecondApp } from './scene.ts';

/** Builds of the dashboard that come or change while the server runs. */

const server = serverForFile();
const pageOf = (title: string) => `<!doctype html>\n<html lang="en"><head><title>${title}</title></head></html>\n`;

let dashboard: string;
let second: SecondApp;
let logged = '';
const log = new Writable({
  write(line, _, done) {
    logged += line;
    done();
  },
});

beforeAll(async () => {
  dashboard = await mkdtemp(join(tmpdir(), 'agora-builds-'));
});
beforeEach(async () => {
  second = await startSecondApp(server, { dashboard, log: pino({ level: 'warn' }, log) });
});
afterEach(async () => {
  await second.app.close();
});
afterAll(() => rm(dashboard, { recursive: true, force: true }));

const open = (path = '/') => fetch(`${second.url}${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } });
const titleOf = async (page: Response) => /<title>(.*)<\/title>/.exec(await page.text())?.[1];

test('without a built dashboard the server starts, says once how to build it, and shows it from then on', async () => {
  const answer = await open();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/plain; charset=utf-8']);
  expect(await answer.text()).toContain('npm run setup');
  expect((await open('/tasks')).status).toBe(404);
  expect((await open('/favicon.svg')).status).toBe(404);
  expect(logged.match(/The dashboard is not built/g)).toHaveLength(1);
  await writeFile(join(dashboard, 'index.html'), pageOf('Built'));
  expect(await titleOf(await open('/tasks'))).toBe('Built');
});

test('the page is read again when a build has changed it, and not before', async () => {
  const index = join(dashboard, 'index.html');
  const at = new Date(1_700_000_000_000);
  await writeFile(index, pageOf('First'));
  await utimes(index, at, at);
  expect(await titleOf(await open())).toBe('First');
  await writeFile(index, pageOf('Other'));
  await utimes(index, at, at);
  expect(await titleOf(await open())).toBe('First');
  await utimes(index, at, new Date(at.getTime() + 1));
  expect(await titleOf(await open())).toBe('Other');
});

test.each(['', '{"src/pages/start/Sta', 'null', '[]'])(
  'the page comes without the names of its files where their list is %j, and with them when it is whole',
  async (text) => {
    const manifest = join(dashboard, '.vite', 'manifest.json');
    await mkdir(join(dashboard, '.vite'), { recursive: true });
    await writeFile(join(dashboard, 'index.html'), pageOf('Page'));
    await writeFile(manifest, text);
    const page = await open();
    expect([page.status, (await page.text()).includes('modulepreload')]).toEqual([200, false]);
    await writeFile(manifest, JSON.stringify({ 'src/pages/start/StartPage.tsx': { file: 'assets/start-1.js' } }));
    expect(await (await open()).text()).toContain('modulepreload" href="./assets/start-1.js"');
  },
);
