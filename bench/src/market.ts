import { availableParallelism } from 'node:os';
import { help, readOptions } from './market/options.ts';
import { writePlots } from './market/plots.ts';
import { attackTable, frontierTable, qualityTable, targetLines } from './market/report.ts';
import { simulate } from './market/run.ts';
import { targets } from './market/targets.ts';

// `npm run sim -- market`: the market in the small, on the functions that the server itself uses. See docs/routing.md.

function progress(done: number, of: number): void {
  if (!process.stderr.isTTY) return;
  const full = Math.round((40 * done) / of);
  process.stderr.write(`\r[${'#'.repeat(full)}${'.'.repeat(40 - full)}] ${done} of ${of}${done === of ? '\n' : ''}`);
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) {
    console.log(help());
    return;
  }
  const answers = await simulate(options, options.threads || availableParallelism(), progress);
  const found = targets(answers, options);
  const isWhole = options.only.source === '(?:)';
  if (isWhole) console.log(`\n${qualityTable(answers)}\n\n${attackTable(answers)}\n\n${frontierTable(answers)}`);
  console.log(`\n${targetLines(found)}`);
  if (isWhole && options.out !== 'none') {
    const directory = options.out ?? 'docs/market';
    console.log(`\n${directory}: ${writePlots(answers, directory).join(', ')}`);
  }
  process.exitCode = found.every(({ holds }) => holds) ? 0 : 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
