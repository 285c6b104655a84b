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

/** Has `agora worker` run until its log matches; gives its lines, and the names of their events. */
async function working(name: PresetName, until: RegExp) {
  const { stderr, exitCode } = await agora(['worker', '--json', '--preset', name], {
    env: {
      AGORA_URL: scene.server.url,
      AGORA_AGENT_KEY: scene.agent.key,
      PATH: `${place}:${dirname(process.execPath)}:/usr/bin:/bin`,
    },
    kill: { signal: 'SIGTERM', when: until },
  });
  const log = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { exitCode, log, events: log.map(({ event }) => event).filter((event) => event !== 'progress') };
}

/** A stand-in that is ready to work only at the calls of these numbers, and says so else. */
const readyAt = (name: PresetName, calls: number[], instead: string) =>
  standIn(
    name,
    'Ready.',
    `echo call >> ${place}/calls
case " ${calls.join(' ')} " in *" $(grep -c call ${place}/calls) "*) ;; *) ${instead} ;; esac`,
  );

/** What the real programs do where nobody has signed in, or their maker is out of reach. */
const signedOut: Record<PresetName, { does: string; reason: string; cure: string }> = {
  'claude-code': {
    does: `echo '${lines({ type: 'result', subtype: 'success', is_error: true, result: 'Not logged in · Please run /login' })}'; exit 1`,
    reason: 'Not logged in · Please run /login',
    cure: 'If claude is signed out: run claude auth login',
  },
  codex: {
    does: "echo 'ERROR: unexpected status 401 Unauthorized: Missing bearer authentication' >&2; exit 1",
    reason: 'The command ended with exit code 1: ERROR: unexpected status 401 Unauthorized',
    cure: 'If codex is signed out: run codex login',
  },
  opencode: {
    does: `echo '${lines({ type: 'error', error: { name: 'APIError', data: { message: 'Cannot connect to API' } } })}'; exit 1`,
    reason: 'Cannot connect to API',
    cure: 'If opencode is signed out: run opencode auth login',
  },
  'gemini-cli': {
    does: `printf '{\n"error": {\n"message": "Please set an Auth method",\n"code": 41\n}\n}\n' >&2; exit 41`,
    reason: 'Please set an Auth method',
    cure: 'If gemini is signed out: start gemini and sign in, or set GEMINI_API_KEY',
  },
  aider: {
    does: `printf 'litellm.RateLimitError: slow\nRetrying in 0.2 seconds...\nlitellm.AuthenticationError: No key\nThe API provider is not able to authenticate you. Check your API key.\n'; exit 0`,
    reason: 'litellm.AuthenticationError: No key',
    cure: 'If aider is signed out: set the key of its model',
  },
  goose: {
    does: `printf 'Ran into this error: Authentication error: Status: 401 Unauthorized.\n\nPlease retry if you think this is a transient or recoverable error.\n'; exit 0`,
    reason: 'Authentication error: Status: 401 Unauthorized.',
    cure: 'If goose is signed out: run goose configure',
  },
};

describe.each(presetNames)('%s that is signed out', (name) => {
  const { does, reason, cure } = signedOut[name];
  beforeEach(() => rm(join(place, 'calls'), { force: true }));

  test('takes no task, and says what to do', async () => {
    const { id } = await scene.submit(input);
    await readyAt(name, [], does);
    const { exitCode, log, events } = await working(name, /"paused"/);
    expect([exitCode, events]).toEqual([0, ['paused', 'stopping', 'stopped']]);
    expect(log[0].reason).toContain(reason);
    expect(log[0].hint).toContain(cure);
    expect(await scene.buyer.agora.tasks.get(id)).toMatchObject({ status: 'submitted' });
  });
});

test('a coding agent that is signed out amid its work fails one task, and goes on where it is signed in again', async () => {
  await rm(join(place, 'calls'), { force: true });
  const checks = [{ name: 'fixed', command: 'grep -q fixed state.txt' }];
  const [lost, waiting] = [await scene.submit(input), await scene.submit({ ...input, acceptance: { checks } })];
  // The first word, the task that fails, two looks of which the second one is answered, and the task that waited.
  await readyAt('codex', [1, 4, 5], signedOut.codex.does);
  const { events } = await working('codex', /"delivered"/);
  expect(events.slice(0, 3)).toEqual(['ready', 'started', expect.stringMatching(/failed|paused/)]);
  const told = events.filter((event) => !/^(stopping|stopped|changes)$/.test(event));
  expect(told.toSorted()).toEqual(['delivered', 'failed', 'paused', 'ready', 'resumed', 'started', 'started']);
  expect((await scene.ended(lost.id)).task).toMatchObject({
    ...{ status: 'failed', reason: expect.stringContaining('401 Unauthorized') },
  });
  expect((await scene.ended(waiting.id)).task).toMatchObject({ status: 'completed', output: { result: 'Ready.' } });
});

test('what aider got over is no failure', async () => {
  const answer = 'litellm.RateLimitError: slow\nRetrying in 0.2 seconds...\nDone.\nTokens: 2k sent, 5 received.';
  await standIn('aider', answer);
  expect((await buy('aider')).task).toMatchObject({ status: 'completed', output: { result: answer } });
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
