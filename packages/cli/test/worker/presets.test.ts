import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { performByPreset } from '../../src/worker/command/perform.ts';
import { type PresetName, presetNames, presets } from '../../src/worker/command/presets.ts';
import { agora } from '../command.ts';
import { type Scene, startScene } from './scene.ts';

/** `agora worker --preset`: stand-ins take the flags and speak as the real programs do. */

let scene: Scene;
let place: string;
beforeAll(async () => {
  scene = await startScene();
  place = await mkdtemp(join(tmpdir(), 'agora-presets-'));
  vi.stubEnv('PATH', `${place}:${process.env.PATH}`);
});
beforeEach(() => scene.renewAgent());
afterAll(async () => {
  vi.unstubAllEnvs();
  await scene.server.close();
  await rm(place, { recursive: true, force: true });
});

/** A program that notes its arguments, its prompt and the names it sees, changes the file, and says something. */
async function standIn(name: PresetName, says: string, more = ''): Promise<void> {
  const path = join(place, presets[name].program);
  const script = `#!/bin/sh
printf '%s\\n' "$@" > ${place}/args
env > ${place}/env
case "$*" in *--message-file*) cat .aider.task.md ;; *) cat ;; esac > ${place}/prompt
ls -A | grep -v '^.aider.task.md$' > ${place}/seen
echo working >&2
echo fixed > state.txt
mkdir -p ${presets[name].hidden[0]} 2>/dev/null
${more}
cat <<'SAID'
${says}
SAID
`;
  await writeFile(path, script);
  await chmod(path, 0o755);
}

const noted = async (what: string) => (await readFile(join(place, what), 'utf8')).trimEnd();

const lines = (...events: object[]) => events.map((event) => JSON.stringify(event)).join('\n');

/** What each prints of an answer and of a failure, and the flags that keep it from the machine. */
const speech: Record<PresetName, { answer: string; keeps: string[]; cents?: number; failure?: string }> = {
  'claude-code': {
    keeps: ['--safe-mode', '--tools', 'Read,Edit,Write,Glob,Grep'],
    answer: lines({ type: 'result', subtype: 'success', is_error: false, result: 'Done.', total_cost_usd: 0.031 }),
    cents: 4,
    failure: lines({ type: 'result', subtype: 'error_max_budget_usd', is_error: true, total_cost_usd: 9 }),
  },
  codex: { keeps: ['--sandbox', 'workspace-write'], answer: 'Done.' },
  opencode: {
    keeps: ['--pure'],
    answer: lines(
      { type: 'step_start', part: {} },
      { type: 'text', part: { text: 'Let me look.' } },
      { type: 'step_finish', part: { cost: 0.02 } },
      { type: 'text', part: { text: 'Done.' } },
      { type: 'step_finish', part: { cost: 0.013 } },
    ),
    cents: 4,
    failure: lines({ type: 'error', error: { name: 'APIError', data: { message: 'error_max_budget_usd' } } }),
  },
  'gemini-cli': {
    keeps: ['--approval-mode', 'auto_edit'],
    answer: lines({ response: 'Done.', stats: {} }),
    failure: lines({ error: { message: 'error_max_budget_usd' } }),
  },
  aider: { keeps: ['--no-suggest-shell-commands', '--no-detect-urls'], answer: 'Done.' },
  goose: { keeps: ['--max-turns', '100'], answer: 'Done.' },
};

/** The file, and settings of a stranger: of Git, and of the program under a name that some file systems take for its own. */
const filesFor = (name: PresetName) => ({
  'state.txt': 'broken\n',
  '.git/config': '[core]\n\tfsmonitor = "touch owned; false"\n',
  [`${presets[name].hidden[0]?.toUpperCase()}/settings`]: 'mine',
  '.env': 'OPENAI_BASE_URL=https://thief.example\n',
});
const input = {
  description: 'Make the file say fixed',
  tone: 'warm',
  acceptance: { checks: [{ name: 'fixed', command: 'grep -q fixed state.txt && grep -q thief .env' }] },
};
const buy = (name: PresetName, maxCostCents?: number) =>
  scene.buy(
    performByPreset(name, { directory: place, maxCostCents }, scene.log),
    { ...input, files: filesFor(name) },
    { taskType: 'bug_fix' },
  );

describe.each(presetNames)('%s', (name) => {
  test('does a task over its files, with the prompt on stdin and its own settings out of reach', async () => {
    await standIn(name, speech[name].answer);
    const { task, paid } = await buy(name);
    expect(task).toMatchObject({ status: 'completed', output: { result: 'Done.' } });
    expect(paid).toBe(1000);
    if (speech[name].cents !== undefined) expect(task.output?.actualApiCostCents).toBe(speech[name].cents);
    const prompt = await noted('prompt');
    expect(prompt).toContain('written by a stranger');
    expect(prompt).toContain('The task:\nMake the file say fixed\n\ntone: warm');
    expect(prompt).not.toContain('broken');
    expect(await noted('seen')).toBe('state.txt');
    expect((await noted('args')).split('\n')).toEqual(expect.arrayContaining(speech[name].keeps));
    expect(await noted('env')).not.toMatch(/AGORA_AGENT_KEY|ac_live_/);
    expect(await noted('env')).toContain('GIT_DIR=/dev/null');
  });
});

test.each(presetNames.filter((name) => speech[name].failure !== undefined))(
  '%s that says it failed fails the task',
  async (name) => {
    await standIn(name, speech[name].failure as string);
    const { task, paid } = await buy(name);
    expect(task).toMatchObject({ status: 'failed', errorMessage: 'error_max_budget_usd' });
    expect(paid).toBe(0);
  },
);

test('claude-code may cost what the task pays, or what the operator says', async () => {
  await standIn('claude-code', speech['claude-code'].answer);
  await buy('claude-code');
  expect((await noted('args')).split('\n').slice(-2)).toEqual(['--max-budget-usd', '8.50']);
  await buy('claude-code', 25);
  expect((await noted('args')).split('\n').slice(-2)).toEqual(['--max-budget-usd', '0.25']);
});

test('a program that is not there is refused before a task is taken, with where to get it', async () => {
  const env = {
    AGORA_URL: scene.server.url,
    AGORA_AGENT_KEY: scene.agent.key,
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  };
  const { exitCode, stderr } = await agora(['worker', '--preset', 'goose'], { env });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`there is no program goose in PATH. Install it: ${presets.goose.source}`);
  const unknown = await agora(['worker', '--preset', 'clippy'], { env });
  expect(unknown.exitCode).toBe(2);
  expect(unknown.stderr).toContain('claude-code, codex, opencode, gemini-cli, aider, goose');
});
