import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleOf } from './dashboard/bundle.ts';
import { watchChanges } from './dashboard/changes.ts';
import { makeManyTasks } from './dashboard/many-tasks.ts';
import { report } from './dashboard/report.ts';
import { judgePages } from './dashboard/scores.ts';
import { scrollTasks } from './dashboard/scroll.ts';
import { openAs } from './dashboard/session.ts';
import { startChromium } from './measure/chromium.ts';
import { highLimits } from './measure/limits.ts';
import { startServer } from './measure/process.ts';
import { keepResults } from './measure/results.ts';

/**
 * Measures the dashboard in Debian's Chromium, served by the shipped server: what Lighthouse says of three pages, whether
 * a list of 10,000 tasks scrolls without long tasks, and how soon a change of a task is on the screen.
 */

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    tasks: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '60' },
    parts: { type: 'string', default: 'scores,scroll,changes' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const parts = options.parts.split(',');
const cli = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const dist = new URL('../../packages/server/build/dashboard/', import.meta.url);
const operatorToken = 'the-token-of-the-operator-of-the-bench-43-characters';

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
try {
  const env = { ...highLimits, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', AGORA_OPERATOR_TOKEN: operatorToken };
  const server = await startServer(['--max-semi-space-size=64', cli, 'serve'], { ...env, AGORA_DATA_DIR: dataDir });
  const chromium = await startChromium();
  try {
    const place = { url: `http://127.0.0.1:${server.port}`, operatorToken };
    const figures = {
      bundle: bundleOf(dist),
      ...(parts.includes('scores') && { pages: await judgePages(chromium, place, Number(options.rounds)) }),
      ...(parts.includes('changes') && {
        changes: await watchChanges(place, (account) => openAs(chromium, place, account), Number(options.changes)),
      }),
      ...(parts.includes('scroll') && {
        scroll: await makeManyTasks(place, Number(options.tasks)).then(async (owner) =>
          scrollTasks(await openAs(chromium, place, owner), place.url, Number(options.tasks)),
        ),
      }),
    };
    const summary = report(figures);
    if (!options['dry-run']) console.log(`\n${keepResults('dashboard', { ...summary, figures })} written`);
  } finally {
    await chromium.close();
    await server.stop();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
