import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { hireAndStart, makePair, serverForFile } from '../../server/test/api/scene.ts';
import { agora, onTerminal } from '../test/command.ts';
import { exitCodes } from './failure.ts';
import { createProgram } from './program.ts';

/** How the command behaves whatever it does: mistakes, pipes, terminals, completion. */

const server = serverForFile();
const bin = fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url));
const bare = { PATH: `${bin}:${process.env.PATH}`, HOME: '/nonexistent' };

test.each([
  [['serve', '--port', '5000'], 'PORT=5000 agora serve'],
  [['serve', '--prot=5000'], 'PORT=5000 agora serve'],
  [['migrate', '--data-dir', '/var/lib/agora'], 'AGORA_DATA_DIR=/var/lib/agora agora migrate'],
  [['verify-ledger', '--database-url', 'a b'], 'DATABASE_URL=… agora verify-ledger'],
])('%j names the setting that is meant', async (args, says) => {
  const { exitCode, stderr, stdout } = await agora(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(`Settings are environment variables: ${says}\n`);
});

test.each([
  [['taks', 'list'], '(Did you mean tasks?)'],
  [['tasks', 'lst'], '(Did you mean list?)'],
  [['tasks', 'list', '--statsu', 'failed'], '(Did you mean --status?)'],
  [['tasks', 'get'], "missing required argument 'taskId'\n`agora tasks get --help` says what it takes."],
  [['tasks', 'list', '--status', 'done'], 'Allowed choices are submitted, routing'],
  [['tasks', 'list', '--page-size', '101'], 'It takes a whole number from 1 to 100.'],
  [['mail', 'show', 'x', 'y'], 'too many arguments'],
])('%j is wrong usage, and says what is right', async (args, says) => {
  const { exitCode, stderr, stdout } = await agora(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(says);
  expect(stderr).toMatch(/^agora: /);
  const json = await agora([...args, '--json']);
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'USAGE' } });
});

test('help and version exit 0 on stdout; a group without its command prints its help and exits 2', async () => {
  expect(await agora(['--version'])).toMatchObject({ exitCode: 0, stdout: '0.1.0\n' });
  expect(await agora(['tasks', 'submit', '--help'])).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await agora(['tasks'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('submit') });
  expect(await agora([])).toMatchObject({ exitCode: 2 });
});

test('commands of the operator name the database that they cannot use, and never its password', async () => {
  const env = { DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:9/agora' };
  for (const command of ['migrate', 'verify-ledger', 'reconcile', 'revenue']) {
    const { exitCode, stderr } = await agora([command, '--json'], { env });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr).error.message).toContain('"agora" at 127.0.0.1:9');
    expect(stderr).not.toContain('hunter2');
  }
  const nowhere = await agora(['verify-ledger'], { env: { AGORA_DATA_DIR: '/nonexistent/agora' } });
  expect(nowhere).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('/nonexistent/agora') });
  expect(nowhere.stderr).not.toMatch(/^ +at /m);
});

test('a reader that closes the pipe early is no failure', async () => {
  const child = spawn(join(bin, 'agora'), ['settings'], { env: bare });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.destroy();
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(stderr).toBe('');
});

test('colours are for terminals, and NO_COLOR turns them off', async () => {
  expect(await onTerminal('agora doctor')).toContain('\u001b[32mok  ');
  expect(await onTerminal('agora doctor', { env: { NO_COLOR: '1' } })).not.toContain('\u001b[3');
  expect((await agora(['doctor'], { env: { CI: 'true', TERM: 'xterm' } })).stdout).not.toContain('\u001b');
});

test('nothing is wider than a terminal of 60 columns, however long names and addresses are', async () => {
  const seller = await server.owner({ credits: 0 });
  await seller.agent({
    displayName: `${'The agent of a very long name '.repeat(3)}${'x'.repeat(100)}`.slice(0, 100),
    capabilities: (['code_generation', 'content_creation', 'data_analysis'] as const).map((category) => ({
      ...{ category, tags: [] },
    })),
  });
  const env = {
    AGORA_URL: server.url,
    PUBLIC_URL: `https://${'agora.'.repeat(20)}example`,
    JUDGE_MODEL: 'm'.repeat(100),
  };
  for (const command of ['agora settings', 'agora agents search']) {
    const shown = stripVTControlCharacters(await onTerminal(`stty cols 60; ${command}`, { env }));
    const lines = shown.split('\r\n');
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
    expect(lines.join('')).toMatch(
      command === 'agora settings' ? /JUDGE_MODEL .*go together/ : /The agent of a very long/,
    );
  }
});

test('on a terminal a task is followed with a bar below its log', async () => {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair);
  await pair.agent.agora.tasks.progress(id, { percent: 50, message: 'half done' });
  await pair.agent.agora.tasks.fail(id, { reason: 'Cannot', errorMessage: '' });
  const shown = await onTerminal(`agora tasks watch ${id}; echo "exit $?"`, {
    env: { AGORA_URL: server.url, AGORA_TOKEN: pair.buyer.token },
  });
  expect(shown).toContain('exit 1');
  expect(shown).toContain('  50 % half done\r\n[####################....................] 50 % the agent works');
  // The bar is gone before the task is printed.
  expect(shown.lastIndexOf('\r\u001b[2K')).toBeGreaterThan(shown.lastIndexOf('[####'));
  expect(shown.lastIndexOf('task')).toBeGreaterThan(shown.lastIndexOf('\r\u001b[2K'));
});

test('bash completes commands, choices and options, and evaluates nothing of the line', () => {
  const completed = (words: string[]) => {
    const script = `eval "$(agora completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _agora; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', 'agora', ...words], {
      env: bare,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  };
  expect(completed(['tas'])).toEqual(['tasks']);
  expect(completed(['tasks', 'f'])).toEqual(['feedback']);
  expect(completed(['tasks', 'list', '--status', 'co'])).toEqual(['completed']);
  expect(completed(['tasks', 'list', '--status', '=', 'fa'])).toEqual(['failed']);
  expect(completed(['vault', 'top-up', '--pro'])).toEqual(['--profile']);
  // Nothing: bash offers file names then.
  expect(completed(['tasks', 'submit', 'general', '--dir', ''])).toEqual(['']);
  expect(completed(['tasks', '$(touch pwned; echo list)', ''])).toEqual(['']);
});

test('scripts for zsh and fish are printed; for others it says which there are', async () => {
  expect((await agora(['completion', 'zsh'])).stdout).toMatch(/^#compdef agora\n/);
  expect((await agora(['completion', 'fish'])).stdout).toContain('complete -c agora');
  expect(await agora(['completion', 'tcsh'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('bash, zsh, fish'),
  });
});

test('docs/cli.md has every command, every option of the client and every exit code', async () => {
  const page = await readFile(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  const missing: string[] = [];
  const visit = (command: Command, path: string) => {
    for (const each of command.createHelp().visibleCommands(command)) {
      if (each.name() === 'help') continue;
      const name = `${path} ${each.name()}`;
      if (each.commands.length === 0 && !page.includes(`\`${name}`)) missing.push(name);
      const isOfClient = each.options.some(({ long }) => long === '--url');
      missing.push(
        ...each.options
          .filter(({ long }) => isOfClient && !page.includes(`\`${long}`))
          .map(({ long }) => `${name} ${long}`),
      );
      visit(each, name);
    }
  };
  visit(createProgram(), 'agora');
  expect(missing).toEqual([]);
  for (const code of Object.values(exitCodes)) expect(page).toContain(`| ${code} |`);
});
