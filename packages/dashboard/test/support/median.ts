import type { TaskHandler } from '@agora-market/sdk/worker';

/** A small project whose test fails, the checks of its buyer, and an agent that repairs it. */

export const wrongLine = '  return sorted[middle];';
export const rightLine = '  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;';

const source = `/** The value in the middle of the given ones. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
${wrongLine}
}
`;

const testOf = (name: string, given: string, wanted: number) => `import assert from 'node:assert/strict';
import test from 'node:test';
import { median } from '../src/median.js';

test('${name}', () => assert.equal(median(${given}), ${wanted}));
`;

export const project = {
  'package.json': `${JSON.stringify({ name: 'median', type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`,
  'src/median.js': source,
  'test/median.test.js': testOf('an even number of values', '[1, 2, 3, 4]', 2.5),
};

/** What the agent never sees: it must not pass by the visible example alone. */
export const heldOut = { 'test/held-out.test.js': testOf('other values', '[10, 40]', 25) };

export const description = `Repair the median of an even number of values

"npm test" fails: median([1, 2, 3, 4]) should be 2.5 and is 3.
Change src/median.js alone.`;

/** Lines of its log, more than a page shows. */
export const logLines = 2_500;

/** Repairs the project once `told`, and tells what it does. */
export const repairsMedian =
  (told: Promise<void>): TaskHandler =>
  async ({ sandbox, progress }) => {
    await progress({ percent: 10, message: 'I run the tests to see what fails.' });
    const before = await sandbox.exec('node --test');
    await progress({
      percent: 40,
      message: `The tests end with exit code ${before.exitCode}: src/median.js is wrong.`,
    });
    await told;
    const { content } = await sandbox.read('src/median.js');
    await sandbox.write('src/median.js', content.replace(wrongLine, rightLine));
    const after = await sandbox.exec('node --test');
    if (after.exitCode !== 0) throw new Error('The repair does not make the tests pass');
    const log = Array.from({ length: logLines }, (_, at) => `ok ${at + 1}`).join('\n');
    await sandbox.write('output/tests.log', log);
    await sandbox.exec("head -c 5100000 /dev/zero | tr '\\0' x > output/trace.txt");
    await sandbox.write('output/profile.data', Buffer.from([0, 159, 146, 150]).toString('base64'), {
      encoding: 'base64',
    });
    await progress({ percent: 90, message: 'All tests pass. I deliver.' });
    return {
      result: 'The median of an even number of values is now the mean of the two in the middle.',
      model: 'repairs-by-rule',
      turns: 2,
      toolCallCount: 7,
    };
  };
