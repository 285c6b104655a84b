import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, effectiveSettings, readConfig } from '@agora-market/server/platform';
import { exitCodes } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { colours, print, safe } from '../print.ts';
import { checkDatabaseOf, checkNats, checkRedis } from './databases.ts';
import { type Check, type Finding, fail, ok, reasonOf } from './finding.ts';
import { checkClock, checkDataDir, checkLimits, checkNode } from './machine.ts';
import { type Clocks, checkJudge, checkMail, checkProcessor } from './outside.ts';
import { checkPort } from './port.ts';
import { checkPresets } from './presets.ts';
import { checkSandbox, checkTools } from './sandbox.ts';

/**
 * Tries what the service needs here, prints what each check has found, and at the end what is to do. Exits 1 if one fails.
 */
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
  const isOk = found.every(({ state }) => state !== 'fail');
  if (options.json) print(options, { ok: isOk, checks: found }, '');
  else console.log(`\n${toDo(found)}`);
  process.exitCode = isOk ? exitCodes.ok : exitCodes.failed;
  // What hangs is not waited for.
  if (found.some(({ detail }) => detail === hangs)) process.exit();
}

/** In order: those that fetch the time of others come before the one of the clock. */
const checksOf = (config: Config, clocks: Clocks): Check[] => [
  checkNode(),
  checkDataDir(config),
  checkLimits(),
  checkDatabaseOf(config, clocks),
  checkRedis(config),
  checkNats(config),
  checkSandbox(config),
  checkTools(config),
  checkJudge(config, clocks),
  checkProcessor(config, clocks),
  checkMail(config),
  checkPort(config),
  checkPresets(),
  checkClock(clocks),
];

/** No check takes longer; JUDGE_CALL_MS may be 100 s. */
const mostMs = 120_000;
const hangs = 'came to no end';

/** A check that throws or hangs has found something too. */
export async function resultOf(run: Check['run'], limitMs = mostMs): Promise<Finding> {
  const stop = new AbortController();
  const late = sleep(limitMs, fail(hangs, `It was given ${limitMs / 1000} s; try again.`), { signal: stop.signal });
  try {
    return await Promise.race([run(), late]);
  } catch (error) {
    return fail(reasonOf(error), 'This should not happen; please report it.');
  } finally {
    late.catch(() => {});
    stop.abort();
  }
}

const marks = { ok: colours.green('ok  '), warn: colours.yellow('warn'), fail: colours.red('FAIL') };

const lineOf = ({ name, state, detail }: Finding & { name: string }): string =>
  `${marks[state]}  ${name.padEnd(10)}  ${safe(detail)}`;

/** What failed first. */
function toDo(found: readonly (Finding & { name: string })[]): string {
  const open = [...found.filter(({ state }) => state === 'fail'), ...found.filter(({ state }) => state === 'warn')];
  if (open.length === 0) return 'Nothing to do.';
  return ['To do:', ...open.map(({ name, cure }) => `  ${name.padEnd(10)}  ${safe(String(cure))}`)].join('\n');
}
