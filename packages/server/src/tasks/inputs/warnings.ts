import { type TaskInput, type TaskType, type TaskWarning, taskInput } from '@agora-market/contract';
import { projectsOf } from '../../dependencies/index.ts';
import { changesCode, measureAdvice } from '../../gate/index.ts';
import { type Config, nearestName } from '../../platform/index.ts';
import { inputFiles } from './input-files.ts';

const knownKeys = Object.keys(taskInput.shape);
/** Free-form keys that are compared with the known ones; a party may send thousands. */
const comparedKeys = 100;
const maxWarnings = 10;

/** Probable mistakes of a task's buyer, and better measures. Nothing is refused for them. */
export function inputWarnings(
  { taskType, input }: { taskType: TaskType; input: TaskInput },
  config: Pick<Config, 'JUDGE_BASE_URL' | 'DEPENDENCY_REGISTRIES'>,
): TaskWarning[] {
  return [
    ...misspelt(input),
    ...unmeasured(taskType, input, config),
    ...measureAdvice(taskType, input),
    ...withoutLock(input, config),
  ];
}

/** Packages that no sandbox can have. Those of a repository are known once it is cloned: a dry run says so. */
function withoutLock({ files }: TaskInput, config: Pick<Config, 'DEPENDENCY_REGISTRIES'>): TaskWarning[] {
  if (files === undefined) return [];
  const { problems } = projectsOf(inputFiles({ files }), config);
  return problems.map(({ message }) => ({ path: 'input.files', message }));
}

function misspelt(input: TaskInput): TaskWarning[] {
  const unknown = Object.keys(input).filter((key) => !knownKeys.includes(key));
  const free = knownKeys.filter((key) => !(key in input));
  return unknown
    .slice(0, comparedKeys)
    .flatMap((key) => {
      const meant = nearestName(key, free);
      if (meant === null) return [];
      const message = `Did you mean ${meant}? The agent receives this key, but the platform does not use it.`;
      return [{ path: `input.${key}`, message }];
    })
    .slice(0, maxWarnings);
}

const addChecks = 'Add checks or a schema to input.acceptance.';

function unmeasured(taskType: TaskType, input: TaskInput, config: Pick<Config, 'JUDGE_BASE_URL'>): TaskWarning[] {
  const { checks = [], schema, rubric } = input.acceptance ?? {};
  if (config.JUDGE_BASE_URL !== undefined || checks.length > 0 || schema !== undefined) return [];
  const path = 'input.acceptance';
  if (changesCode(taskType) && (input.files !== undefined || input.repo !== undefined)) {
    const message = `The task has no checks of its own. If the project declares no tests, any plausible delivery is paid. ${addChecks}`;
    return [{ path, message }];
  }
  const why = rubric === undefined ? 'no checks and no judge' : 'no checks, and no judge that would read the rubric';
  return [{ path, message: `The task has ${why}, so any plausible delivery is paid. ${addChecks}` }];
}
