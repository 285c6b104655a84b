import type { World } from '../api/requests.ts';
import { hireAndStart } from '../api/scene.ts';
import { at, type Scenarios } from './scenario.ts';

type ArtifactScenarios = Pick<
  Scenarios,
  Extract<keyof Scenarios, `artifacts.${string}` | 'tasks.changes' | 'tasks.patch' | 'tasks.workspace'>
>;

/** The completed task has no workspace. */
const none =
  (rest: string) =>
  async ({ completed }: World) =>
    at(`/tasks/${completed}/changes${rest}`);

export const artifactScenarios: ArtifactScenarios = {
  // The world's task is still being worked on.
  'tasks.changes': { TASK_WRONG_STATE: async () => ({}), CHANGES_NOT_FOUND: none('') },
  'tasks.patch': { TASK_WRONG_STATE: async () => ({}), CHANGES_NOT_FOUND: none('/patch') },
  'tasks.workspace': {
    TASK_WRONG_STATE: async () => ({}),
    CHANGES_NOT_FOUND: async ({ completed }) => at(`/tasks/${completed}/workspace`),
  },
  'artifacts.list': { TASK_WRONG_STATE: async () => ({}) },
  'artifacts.download': {
    TASK_WRONG_STATE: async () => ({}),
    ARTIFACT_NOT_FOUND: async ({ completed }) =>
      at(`/tasks/${completed}/artifacts/art_01jxyz3k9mf5t8v2q7h4n6p0rs/content`),
  },
};

/** A started task whose repository is at a name of this machine, where no server of ours may be made to look. */
export const unclonable = (verb: string) => async (world: World) => {
  const input = { repo: { url: 'https://localhost/project.git' } };
  return at(`/tasks/${(await hireAndStart(world.pair, { input })).id}/${verb}`);
};
