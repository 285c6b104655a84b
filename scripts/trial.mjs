import { parseArgs } from 'node:util';
import { reportFailure, SetupError, setup, useNewerNode } from './setup.mjs';
import { runVitest } from './vitest.mjs';

// `npm run trial -- cluster`: three servers on the engines of a cluster, and every fault once under traffic. It ends with a
// table. `--seed 7` draws another order and other victims, `--faults Redis` runs those alone whose names match, `--rate 8`
// begins so many tasks a second.

const usage = 'usage: npm run trial -- cluster [--seed <number>] [--faults <part of a name>] [--rate <tasks a second>]';

function environmentOf(args) {
  const text = { type: 'string' };
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { seed: text, faults: text, rate: text },
  });
  if (positionals.join() !== 'cluster') throw new Error('only a cluster can be tried');
  const named = { TRIAL_SEED: values.seed, TRIAL_FAULTS: values.faults, TRIAL_RATE: values.rate };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

try {
  await useNewerNode();
  let env;
  try {
    env = environmentOf(process.argv.slice(2));
  } catch (error) {
    throw new SetupError(`${error.message}; ${usage}`);
  }
  await setup({ tests: 'deep' });
  // The file comes first: behind a flag it would be taken for the flag's value.
  const args = ['run', 'packages/server/test/trial/cluster', '--project=deep', '--disable-console-intercept'];
  process.exitCode = runVitest(args, env);
} catch (error) {
  reportFailure(error);
}
