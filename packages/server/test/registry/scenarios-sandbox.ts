import type { World } from '../api/requests.ts';
import { hireAndStart } from '../api/scene.ts';
import { at, json, type Scenarios, type Surroundings } from './scenario.ts';

type Common =
  | 'TASK_WRONG_STATE'
  | 'STORAGE_QUOTA_REACHED'
  | 'SANDBOX_LOST'
  | 'SANDBOX_UNAVAILABLE'
  | 'INPUT_EXPIRED'
  | 'REPOSITORY_UNAVAILABLE';
type Files = (verb: string) => Pick<Scenarios['sandbox.diff'], Common>;
type WorkScenarios = Pick<
  Scenarios,
  `sandbox.${'resume' | 'startProcess' | 'listProcesses' | 'processOutput' | 'killProcess' | 'diff'}`
>;

/** A task whose sandbox has used up the little that its server allows, and may not be resumed. */
const paused = (verb: string) => async (world: World, around: Surroundings) => {
  const { id } = await hireAndStart(world.pair);
  const { sandbox } = world.pair.agent.agora.withOptions({ baseUrl: around.withTinyQuota });
  await sandbox.exec(id, { command: 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' });
  await around.sweepTinyQuota();
  return { ...at(`/tasks/${id}/${verb}`), url: around.withTinyQuota };
};

const withManyNames = async ({ pair }: World) => {
  const { id } = await hireAndStart(pair);
  const command =
    'd=$(printf %0250d 0); for i in 1 2 3 4 5 6 7 8 9 a b c d e f; do mkdir $d && cd -P ./$d; done; seq 7000 | xargs touch';
  await pair.agent.agora.sandbox.exec(id, { command });
  return at(`/tasks/${id}/sandbox/diff`);
};

const withManyProcesses = async ({ pair }: World) => {
  const { id } = await hireAndStart(pair);
  for (let n = 0; n < 8; n++) await pair.agent.agora.sandbox.startProcess(id, { command: 'sleep 60' });
  return at(`/tasks/${id}/sandbox/processes`);
};

export const withManyCommands = async ({ pair }: World) => {
  const { id } = await hireAndStart(pair);
  const { sandbox } = pair.agent.agora;
  for (let n = 0; n < 24; n++) void sandbox.exec(id, { command: `echo >${n}; sleep 60` }).catch(() => {});
  while ((await sandbox.list(id)).data.entries.length < 24);
  return at(`/tasks/${id}/sandbox/exec`);
};

/** More than a command can be handed. */
const hugeEnvironment = () =>
  json({ command: 'true', env: Object.fromEntries(['A', 'B', 'C', 'D', 'E', 'F'].map((n) => [n, n.repeat(99_000)])) });

export const pausedExec = paused('sandbox/exec');

const process = 'sandbox/processes/prc_01jxyz3k9mf5t8v2q7h4n6p0rs';

export const sandboxWorkScenarios = (files: Files): WorkScenarios => ({
  'sandbox.resume': {
    SANDBOX_NOT_FOUND: async ({ pair }) => at(`/tasks/${(await hireAndStart(pair)).id}/sandbox/resume`),
    SANDBOX_NOT_PAUSED: async ({ pair, executing }) => {
      await pair.agent.agora.sandbox.exec(executing, { command: 'true' });
      return {};
    },
    RESUMES_USED_UP: paused('sandbox/resume'),
  },
  'sandbox.startProcess': {
    ...files('sandbox/processes'),
    INVALID_PATH: async () => hugeEnvironment(),
    SANDBOX_PAUSED: paused('sandbox/processes'),
    PROCESS_LIMIT_REACHED: withManyProcesses,
  },
  'sandbox.listProcesses': files('sandbox/processes'),
  'sandbox.processOutput': { ...files(`${process}/output`), PROCESS_NOT_FOUND: async () => ({}) },
  'sandbox.killProcess': { ...files(`${process}/kill`), PROCESS_NOT_FOUND: async () => ({}) },
  'sandbox.diff': { ...files('sandbox/diff'), PAYLOAD_TOO_LARGE: withManyNames },
});
