import { judgeState } from '@agora-market/server/gate';
import { effectiveSettings, settingsTable } from '@agora-market/server/platform';
import { exitCodes } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { print, table, wrapped } from '../print.ts';

/** Prints every setting with the value that counts; exits 1 if the server could not start with them. */
export function settingsCommand(options: JsonOption & { markdown?: boolean }): void {
  if (options.markdown) {
    console.log(settingsTable());
    return;
  }
  const { settings, problem } = effectiveSettings();
  const judge = judgeState({ JUDGE_MODEL: process.env.JUDGE_MODEL || undefined }).detail;
  print(options, { settings, judge, problem }, () => {
    const rows = settings.map(({ name, value, from, purpose }) => [
      name,
      value ?? 'not set',
      value === null ? '' : from,
      purpose,
    ]);
    return `${table(['setting', 'value', 'from', 'what it is for'], rows)}\n\n${wrapped(judge)}`;
  });
  if (problem === null) return;
  if (!options.json) console.error(`\n${wrapped(problem, process.stderr.columns)}`);
  process.exitCode = exitCodes.failed;
}
