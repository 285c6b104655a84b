import type { TaskInput, TaskType } from '@agora-market/contract';
import { changesCode } from './criteria.ts';
import { isTestFile, namedIn, normal } from './restore/restored-files.ts';
import { removesTests } from './runs/removed-by-order.ts';
import { callsApart, onlyReads } from './sandboxes/apart.ts';

/** How a buyer could measure better, by a part of the input. */
export interface MeasureAdvice {
  path: 'input.acceptance.checks' | 'input.acceptance.tests';
  message: string;
}

const maxNamed = 5;
/** Of all files that a check may run, in characters. */
const maxRead = 1_000_000;

type Files = TaskInput['files'];

function texts(...given: Files[]): string[] {
  let left = maxRead;
  return given.flatMap((files) =>
    Object.values(files ?? {}).flatMap((file) => {
      const text = typeof file === 'string' ? file : file.content;
      left -= text.length;
      return left < 0 ? [] : [text];
    }),
  );
}

/** Checks of which each lets the work run beside itself. */
function provesLittle({ files, repo, acceptance: { checks = [], files: heldOut } = {} }: TaskInput): boolean {
  const running = checks.filter(({ command }) => !onlyReads(command));
  // What a script of the repository does is not known.
  if (running.length === 0 || repo !== undefined) return false;
  return ![...running.map(({ command }) => command), ...texts(heldOut, files)].some(callsApart);
}

/** What the description says of tests that the acceptance does not say. */
function ofTests({ description = '', files = {}, acceptance }: TaskInput): MeasureAdvice[] {
  if (typeof description !== 'string' || acceptance?.tests !== undefined) return [];
  const tests = Object.keys(files).map(normal).filter(isTestFile);
  const named = tests.length === 0 ? [] : tests.filter(namedIn(description)).slice(0, maxNamed);
  if (named.length === 0) return [];
  const [wish, why] = removesTests(description)
    ? (['mayChange', 'the work may change or remove them'] as const)
    : (['mustPass', 'they must pass after the work'] as const);
  const example = JSON.stringify({ [wish]: named });
  const message = `The description names ${named.join(', ')}. If ${why}, say so: ${example} as input.acceptance.tests.`;
  return [{ path: 'input.acceptance.tests', message }];
}

/** For a task that changes code: what would prove more, or say better which tests decide. */
export function measureAdvice(taskType: TaskType, input: TaskInput): MeasureAdvice[] {
  if (!changesCode(taskType)) return [];
  const message =
    'The checks run the work in their own process, so work that cheats can make them pass, and a pass by exit code scores below 60. Start the work with `delivered PROGRAM`, and compare what it prints.';
  const checks = provesLittle(input) ? [{ path: 'input.acceptance.checks' as const, message }] : [];
  return [...checks, ...(taskType === 'testing' ? [] : ofTests(input))];
}
