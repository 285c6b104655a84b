import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandboxDriver, DEFAULT_LIMITS, readToolchains } from '@agora-market/server/sandbox';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { addToolsCommand, listToolsCommand, removeToolCommand } from './tools.ts';

/** Toolchains from the registries themselves, in sandboxes. */

let home: string;
let printed: string[];
const driver = createSandboxDriver({ driver: 'bwrap', installationId: `test-tools-${process.pid}` });

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agora-tools-'));
  vi.stubEnv('SANDBOX_TOOLS', join(home, 'tools'));
  vi.stubEnv('AGORA_DATA_DIR', join(home, 'data'));
  // Sandboxes of root have users of their own.
  await chmod(home, 0o755);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  driver.forget?.();
  await rm(home, { recursive: true });
});
beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((line) => printed.push(...String(line).split('\n')));
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

/** What a command says in a sandbox with the toolchain. */
async function says(name: string, command: string): Promise<string> {
  const toolchain = (await readToolchains(join(home, 'tools'))).find((each) => each.name === name);
  const sandbox = await driver.create('tools', DEFAULT_LIMITS, { toolchains: [toolchain!] });
  try {
    const { stdout, stderr } = await sandbox.exec({ command, timeoutMs: 60_000 });
    return (stdout + stderr).trim();
  } finally {
    await sandbox.destroy();
  }
}

const goFiles =
  'printf "module a\\n\\ngo 1.17\\n" > go.mod; printf "package main\\n\\nfunc main() { println(42) }\\n" > main.go';

test('Go of Debian compiles, a Node of npm comes with its npm, and modules of Python are found', async () => {
  await addToolsCommand(['go', 'node@22'], {});
  expect(printed.join('\n')).toMatch(/^Sandboxes have go@1\.\d+\.\d+ now\.\nSandboxes have node@22\.\d+\.\d+ now\.$/);
  expect(await says('go', `${goFiles}; go run .`)).toBe('42');
  expect(await says('node', 'node --version; npm --version')).toMatch(/^v22\.\d+\.\d+\n11\.\d+\.\d+$/);
  await addToolsCommand(['debian:python3-inflect'], { name: 'words' });
  const asks = 'import inflect; print(inflect.engine().plural("word"))';
  // Also where a command has a path of modules of its own, and in an environment of the project.
  expect(await says('words', `python3 -c '${asks}'`)).toBe('words');
  expect(
    await says('words', `python3 -m venv --without-pip --system-site-packages v && v/bin/python -c '${asks}'`),
  ).toBe('words');
});

test('the list names them, and removing takes one away', async () => {
  await listToolsCommand({ json: true });
  const listed = JSON.parse(printed.join('\n')) as { name: string; version: string; from: string }[];
  expect(listed.map(({ name, from }) => `${name} ${from}`)).toEqual([
    ...['go debian:golang-go', 'node npm:node@22', 'words debian:python3-inflect'],
  ]);
  const { version } = listed[0]!;
  await removeToolCommand(`go@${version}`, {});
  const left = await readdir(join(home, 'tools'));
  expect(left.filter((name) => name.startsWith('go@'))).toEqual([]);
  // Sandboxes may have it still.
  expect(left.filter((name) => name.startsWith('.removed-'))).toHaveLength(1);
  await expect(removeToolCommand(`go@${version}`, {})).rejects.toThrow(`There is no go@${version}.`);
});

test('what the system has is not added, and what is no source or no package is refused with the cure', async () => {
  await addToolsCommand(['git'], {});
  expect(printed.join('\n')).toMatch(/^Every sandbox has git@\S+ already, from the system\.$/);
  await expect(addToolsCommand(['golang'], {})).rejects.toThrow(/^golang is no source\. Give a tool \(go, rust/);
  await expect(addToolsCommand(['debian:-o'], {})).rejects.toThrow(/^debian:-o is no source/);
  await expect(addToolsCommand(['go'], { name: '../../x' })).rejects.toThrow(/^\.\.\/\.\.\/x is no name of a tool/);
  await expect(addToolsCommand(['go', 'rust'], { name: 'x' })).rejects.toThrow('--name is for one source.');
  await expect(addToolsCommand(['debian:no-such-package-anywhere'], {})).rejects.toThrow(/Unable to locate package/);
  await expect(addToolsCommand(['node@999'], {})).rejects.toThrow(/node-linux-\w+@999/);
  expect((await readdir(join(home, 'tools'))).filter((name) => name.startsWith('.making'))).toEqual([]);
});

test('what a killed process has left goes, and what another is making stays', async () => {
  const [old, lately] = [1, Date.now()].map((at) => join(home, `tools/.making-${at}-x`)) as [string, string];
  for (const path of [old, lately]) await mkdir(path);
  await expect(addToolsCommand(['node@999'], {})).rejects.toThrow();
  expect([existsSync(old), existsSync(lately)]).toEqual([false, true]);
});

test('Ruby comes with Bundler and PHP with Composer, and both find their own libraries', async () => {
  await addToolsCommand(['ruby', 'php'], {});
  expect(await says('ruby', `ruby -e 'require "json"; puts [1].to_json'; bundle --version`)).toMatch(
    /^\[1\]\nBundler version 2\.\d+\.\d+$/,
  );
  expect(await says('php', `php -r 'echo mb_strlen("ä"), PHP_EOL;'; composer --version --no-ansi`)).toMatch(
    /^1\nComposer version 2\./,
  );
});
