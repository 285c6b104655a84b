import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { releaseInto, repositoryRoot, run } from './packed/place.ts';

/**
 * The README's blocks as it prints them, on a machine without the clone: a release is installed into an empty directory, and
 * all is run from there. Only the addresses of the server and of the release differ.
 */

let home: string;
let release: string;
/** The directory that the README makes. */
let market: string;
let env: Record<string, string>;
let url: string;
let server: Started | undefined;

const readme = await readFile(join(repositoryRoot, 'README.md'), 'utf8');
const sections = readme.split(/^## /m);
/** A code block of a section, by its language: the first, or one after it. */
function blockOf(section: string, language: string, nth = 0): string {
  const text = sections.find((part) => part.startsWith(`${section}\n`)) ?? '';
  const found = [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))][nth]?.[1];
  expect(found, `the block of ${language} below "${section}"`).toBeDefined();
  return found as string;
}

/** The command is told of the server once, when an account is made: it is in the profile from then on. */
const here = (text: string) =>
  text
    .replaceAll(/(agora(-market)?) signup/g, `$1 signup --url ${url}`)
    .replaceAll('http://127.0.0.1:4000', url)
    .replaceAll('/path/to/agora/release', release)
    .replaceAll('/path/to/agora', market);

const shell = (script: string) => run('bash', ['-euo', 'pipefail', '-c', here(script)], { cwd: market, env });
/** What installs packages: how this machine reaches registries is in its own environment and home. */
const install = (script: string) => run('bash', ['-euo', 'pipefail', '-c', here(script)], { cwd: home });

interface Started {
  /** All that it has printed so far. */
  said(): string;
  stop(): Promise<void>;
}

/** Runs a script beside the test. Resolves once it has printed something. */
function startShell(script: string, ready: RegExp): Promise<Started> {
  const child = spawn('bash', ['-ec', here(script)], { cwd: market, env, detached: true });
  let said = '';
  // With all that it has started, which holds its output open.
  const gone = once(child, 'close');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGTERM');
    await gone;
  };
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
        if (ready.test(said)) resolve({ said: () => said, stop });
      });
    child.on('exit', () => reject(new Error(`It ended: ${said}`)));
  });
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agora-readme-'));
  release = join(home, 'release');
  market = join(home, 'market');
  const bin = join(home, 'bin');
  await mkdir(bin);
  // Claude is not here: what it is told to run is written down instead.
  await writeFile(join(bin, 'claude'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${home}/claude\n`);
  await chmod(join(bin, 'claude'), 0o755);
  const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  env = { PATH: path, HOME: home, XDG_CONFIG_HOME: home, PORT: '0', npm_config_update_notifier: 'false' };
  await releaseInto(release);

  const lines = blockOf('Without a clone', 'sh').trim().split('\n');
  const serve = lines.pop() as string;
  await install(lines.join('\n'));
  server = await startShell(`exec ${serve}`, /agora ready on \S+\n/);
  url = /agora ready on (\S+)/.exec(server.said())?.[1] as string;
}, 900_000);

afterAll(async () => {
  await server?.stop();
  await rm(home, { recursive: true, force: true });
});

test('sections of the README share no person, so that each can be run after any other', () => {
  const people = sections.map((text) => new Set(text.match(/[\w.]+@example\.com/g)));
  const all = people.flatMap((each) => [...each]);
  expect(all.length).toBeGreaterThan(4);
  expect(all).toEqual([...new Set(all)]);
});

test('a release has the packages with their sums and what they are made of, and no tests', async () => {
  const sums = (await readFile(join(release, 'SHA256SUMS'), 'utf8')).trim().split('\n');
  const names = await readdir(release);
  expect(sums.map((line) => line.split('  ')[1])).toEqual(names.filter((name) => name !== 'SHA256SUMS').sort());
  for (const line of sums) {
    const [sum, name] = line.split('  ') as [string, string];
    expect(
      createHash('sha256')
        .update(await readFile(join(release, name)))
        .digest('hex'),
    ).toBe(sum);
  }
  const { bomFormat, components } = JSON.parse(await readFile(join(release, 'sbom.cdx.json'), 'utf8'));
  const named = components.map((each: { name: string }) => each.name);
  expect(bomFormat).toBe('CycloneDX');
  expect(named).toEqual(expect.arrayContaining(['agora-market-server-0.1.0.tgz', 'fastify', 'react']));
  expect(named).not.toContain('vitest');

  for (const name of names.filter((each) => each.endsWith('gz'))) {
    const files = (await run('tar', ['tzf', join(release, name)])).stdout.trim().split('\n');
    expect(files.filter((path) => /\.test\.|\/tests?\/|\.ts$|\.map$/.test(path) && !path.endsWith('.d.ts'))).toEqual(
      [],
    );
    expect(
      files.some((path) => path.endsWith('/LICENSE')),
      name,
    ).toBe(true);
    const manifest = files.includes('package/package.json')
      ? JSON.parse((await run('tar', ['xzOf', join(release, name), 'package/package.json'])).stdout)
      : {};
    for (const [inner, version] of Object.entries(manifest.dependencies ?? {}))
      if (inner.startsWith('@agora-market/')) expect(version).toBe('0.1.0');
  }
});

test('the installed server shows the dashboard', async () => {
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
  const script = /src="\.?\/?(assets\/[^"]+\.js)"/.exec(page)?.[1];
  expect((await fetch(`${url}/${script}`)).status).toBe(200);
});

test('the installed doctor says what a machine without a C compiler lacks, and finds the sandbox with one', async () => {
  const native = join(market, 'node_modules/@agora-market/server/native/build');
  const doctor = async (path: string) => {
    const { stdout } = await run(process.execPath, [join(market, 'node_modules/.bin/agora'), 'doctor', '--json'], {
      cwd: market,
      env: { ...env, PATH: path },
    }).catch((error) => error);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; detail: string }[] };
    return checks.find(({ name }) => name === 'sandbox');
  };
  await rm(native, { recursive: true });
  expect(await doctor(join(home, 'bin'))).toMatchObject({
    state: 'fail',
    detail: expect.stringMatching(/no C compiler.*apt-get install -y gcc/),
  });
  expect((await doctor(env.PATH as string))?.state).not.toBe('fail');
});

test('the README settles a task with curl, although the demo agent would do it for less', async () => {
  const { stdout } = await shell(blockOf('From nothing to a settled task, with curl', 'sh'));
  expect(JSON.parse(stdout.slice(stdout.lastIndexOf('{"id":"tsk_')))).toMatchObject({ creditsCharged: 400 });
});

test('the README earns: the worker gets the task that the last line sends', async () => {
  const worker = await startShell(blockOf('Earn as an agent', 'sh'), /ready/);
  const { stdout } = await shell(blockOf('Earn as an agent', 'sh', 1));
  expect(stdout).toContain('You asked:');
  expect(stdout).toContain('$3.00');
  await expect.poll(worker.said).toMatch(/delivered/);
  await worker.stop();
});

test('the README has an issue fixed, and applies the change', async () => {
  const worker = await startShell(blockOf('Have an issue fixed', 'sh'), /ready/);
  const { stdout } = await shell(blockOf('Have an issue fixed', 'sh', 1));
  expect(stdout).toContain('+module.exports = (a, b) => a + b;');
  await worker.stop();
});

test('the README hires from Claude or Cursor', async () => {
  await shell(blockOf('Hire from Claude or Cursor', 'sh'));
  const { agora } = JSON.parse(here(blockOf('Hire from Claude or Cursor', 'json'))).mcpServers;
  const told = (await readFile(join(home, 'claude'), 'utf8')).trim().split('\n');
  expect(told).toEqual(['mcp', 'add', 'agora', '--', agora.command, ...agora.args]);

  const client = new Client({ name: 'newcomer', version: '1' });
  await client.connect(new StdioClientTransport({ ...agora, env }));
  try {
    const call = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>;
    const [description] = sections;
    const { id } = await call('submit_task', { taskType: 'general', maxBudget: 100, input: { description } });
    await expect
      .poll(() => call('wait_for_task', { taskId: id }))
      .toMatchObject({ status: 'completed', creditsCharged: 50, output: { headings: ['Agora'] } });
    expect(await call('get_balance', {})).toMatchObject({ balance: 1_950 });
  } finally {
    await client.close();
  }
});

test('the README hires from a program, in a project of its own', async () => {
  await install(blockOf('Hire from a program', 'sh'));
  const project = join(home, 'hire');
  await writeFile(join(project, 'hire.mjs'), here(blockOf('Hire from a program', 'ts')));
  const { stdout } = await run(process.execPath, ['hire.mjs'], { cwd: project, env });
  expect(stdout).toMatch(/^completed 50 \{/m);
  expect(stdout).toContain('Its headings: Two sides.');
});

test('the README of the Python client hires with the wheel', async () => {
  const python = await readFile(join(repositoryRoot, 'clients/python/README.md'), 'utf8');
  const block = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(python)?.[1] as string;
  const venv = `. ${home}/venv/bin/activate`;
  await install(`python3 -m venv ${home}/venv\n${venv}\n${block('sh')}`);
  const { stdout } = await shell(`${venv}\npython3 - <<'END'\n${block('python')}END`);
  expect(stdout).toMatch(/^completed \{/m);
});
