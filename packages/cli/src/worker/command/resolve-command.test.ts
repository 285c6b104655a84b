import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveCommand } from './resolve-command.ts';

/** The command of `agora worker --exec` runs in a directory of its own, and means files of where the worker was started. */

let home: string;
let directory: string;
let elsewhere: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agora-resolve-'));
  directory = join(home, "Grace's agent");
  elsewhere = join(home, 'elsewhere');
  await mkdir(join(directory, 'sub'), { recursive: true });
  await mkdir(elsewhere);
  const program = '#!/bin/sh\necho "$(basename "$0") $*: $(ls | wc -l) files"\n';
  const modes = { 'agent.sh': 0o755, 'my agent.sh': 0o755, 'plain.sh': 0o644, bare: 0o755, 'sub/agent.sh': 0o755 };
  for (const [name, mode] of Object.entries(modes)) await writeFile(join(directory, name), program, { mode });
  await writeFile(join(directory, 'sub/inner.sh'), '#!/bin/sh\necho inner\n', { mode: 0o755 });
  await writeFile(join(directory, 'inner.sh'), '#!/bin/sh\necho outer\n', { mode: 0o755 });
  await writeFile(join(directory, 'agent.mjs'), 'console.log("node", process.argv[2]);\n');
});
afterAll(() => rm(home, { recursive: true, force: true }));

const resolved = (command: string, workspace = false) => resolveCommand(command, { directory, workspace });
const printed = async (command: string) => {
  const env = { ...process.env, AGORA_WORKER_DIR: directory };
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', resolved(command)], { cwd: elsewhere, env });
  return stdout.trim();
};

test.each([
  ['./agent.sh', 'agent.sh : 0 files'],
  ['agent.sh --fast', 'agent.sh --fast: 0 files'],
  ['MODE=1 ./sub/agent.sh ./none', 'agent.sh ./none: 0 files'],
  ['"./my agent.sh" one', 'my agent.sh one: 0 files'],
  ['./my\\ agent.sh sub', 'my agent.sh sub: 0 files'],
  ['sh plain.sh', 'plain.sh : 0 files'],
  ['node ./agent.mjs --flag', 'node --flag'],
  ['test -e bare || cat <agent.mjs', 'console.log("node", process.argv[2]);'],
  ['cd ./sub && ./agent.sh 2>&1', 'agent.sh : 2 files'],
  ['./inner.sh && cd ./sub && ./inner.sh && cd .. && ./inner.sh', 'outer\ninner\nouter'],
  ['cd "$AGORA_WORKER_DIR" && ./sub/agent.sh', 'agent.sh : 7 files'],
  ['. ./plain.sh && . ./plain.sh | tail -1 && ls .', /^sh : 0 files\nsh : 0 files\nagent\.mjs\n/],
  ['>out.log 2>err.log ./agent.sh; cat out.log; rm *.log', 'agent.sh : 2 files'],
  ['<agent.mjs ./agent.sh', 'agent.sh : 0 files'],
  ['(echo agent.sh* > agent.mjs; cat ./*; rm ./*)', 'agent.sh*'],
])('%s works in another directory', async (command, output) => {
  expect(await printed(command)).toEqual(typeof output === 'string' ? output : expect.stringMatching(output));
});

test('with the files of a task, a directory is a directory of the task', () => {
  expect(resolved('ls . ./sub agent.mjs', true)).toMatch(/^ls \. \.\/sub '\/.+\/agent\.mjs'$/);
});

test.each([
  ['./agnet.sh', /no file \.\/agnet\.sh in \/.+Go to the directory of your program, or write its path$/],
  ['/nowhere/agent', /no file \/nowhere\/agent\. Write the path of your program$/],
  ['./plain.sh', /plain\.sh is not executable\. Run chmod \+x '\/.+\/plain\.sh'$/],
  ['plain.sh', /plain\.sh is not executable/],
  ['./sub', /no file \.\/sub in/],
  ['bare', /no program bare in PATH\. Write \.\/bare$/],
  ['no-such-program x', /no program no-such-program in PATH\. Install it, or write its path$/],
  ['python3 agnet.py', /no file agnet\.py in/],
  [' ', /--exec is empty/],
])('%s is refused before a task fails for it', (command, message) => {
  expect(() => resolved(command)).toThrow(message);
});

test.each([
  '$AGENT x',
  'if true; then cat; fi',
  '{ cat; }',
  'python3 -m agent.py',
  '. ./agent.sh',
  'trap "" TERM; cat',
])('%s is the shell’s to judge', (command) => {
  expect(() => resolved(command)).not.toThrow();
});
