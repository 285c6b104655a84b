import { type Config, effectiveSettings, readConfig } from '@agora-market/server/platform';
import { exitCodes } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { colours, print, safe } from '../print.ts';
import { checkDatabaseOf, checkRedis } from './databases.ts';
import { type Check, type Finding, fail, ok, reasonOf } from './finding.ts';
import { checkClock, checkDataDir, checkLimits, checkNode } from './machine.ts';
import { type Clocks, checkJudge, checkProcessor } from './outside.ts';
import { checkPort } from './port.ts';
import { checkSandbox, checkTools } from './sandbox.ts';

/** Checks what the service needs here, and prints each result with its cure. Exits 1 if one fails. Changes nothing. */
export async function doctorCommand(options: JsonOption): Promise<void> {
  const { problem } = effectiveSettings();
  const settings: Check = {
    name: 'settings',
    run: () => (problem === null ? ok('can be used') : fail(problem, '`agora settings` prints what each takes.')),
  };
  const clocks: Clocks = [];
  const checks = problem === null ? [settings, ...checksOf(readConfig(), clocks)] : [checkNode(), settings];
  const found: (Finding & { name: string })[] = [];
  for (const { name, run } of checks) {
    const finding = { name, ...(await resultOf(run)) };
    found.push(finding);
    if (!options.json) console.log(lineOf(finding));
  }
  const failed = found.filter(({ state }) => state === 'fail').length;
  const warned = found.filter(({ state }) => state === 'warn').length;
  if (options.json) print(options, { ok: failed === 0, checks: found }, '');
  else console.log(`\n${found.length - failed - warned} ok, ${warned} to look at, ${failed} failed.`);
  if (failed > 0) process.exitCode = exitCodes.failed;
}

/** In order: those that fetch the time of others come before the one of the clock. */
const checksOf = (config: Config, clocks: Clocks): Check[] => [
  checkNode(),
  checkDataDir(config),
  checkLimits(),
  checkDatabaseOf(config, clocks),
  checkRedis(config),
  checkSandbox(config),
  checkTools(config),
  checkJudge(config, clocks),
  checkProcessor(config, clocks),
  checkPort(config),
  checkClock(clocks),
];

/** A check that throws has found something too. */
async function resultOf(run: Check['run']): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    return fail(reasonOf(error), 'This should not happen; please report it.');
  }
}

const marks = { ok: colours.green('ok  '), warn: colours.yellow('warn'), fail: colours.red('FAIL') };

function lineOf({ name, state, detail, cure }: Finding & { name: string }): string {
  const line = `${marks[state]}  ${name.padEnd(10)}  ${safe(detail)}`;
  return cure === null ? line : `${line}\n${' '.repeat(18)}→ ${safe(cure)}`;
}
