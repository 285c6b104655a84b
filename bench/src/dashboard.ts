import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleOf } from './dashboard/bundle.ts';
import { watchChanges } from './dashboard/changes.ts';
import { readLargeChange } from './dashboard/diff.ts';
import { useThePages } from './dashboard/interactions.ts';
import { makeManyTasks } from './dashboard/many-tasks.ts';
import { type Figures, report } from './dashboard/report.ts';
import { judgePages } from './dashboard/scores.ts';
import { scrollTasks } from './dashboard/scroll.ts';
import { openAs } from './dashboard/session.ts';
import { type Account, makeTown } from './dashboard/world.ts';
import { startChromium } from './measure/chromium.ts';
import { highLimits } from './measure/limits.ts';
import { startServer } from './measure/process.ts';
import { keepResults } from './measure/results.ts';

/**
 * Measures the dashboard in Debian's Chromium, served by the shipped server: what Lighthouse says of four pages, whether
 * a list of 10,000 tasks and a change of 5 MB scroll without long tasks, how soon a press is answered and the list is there,
 * and how soon a change of a task is on the screen.
 */

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    tasks: { type: 'string', default: '10000' },
    changes: { type: 'string', default: '60' },
    parts: { type: 'string', default: 'scores,diff,scroll,changes' },
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
    const town = parts.includes('scores') || parts.includes('diff') ? await makeTown(place) : null;
    const open = (account: Account) => openAs(chromium, place, account);
    const figures: Figures = { bundle: bundleOf(dist) };
    if (town && parts.includes('scores'))
      figures.pages = await judgePages(chromium, place, town, Number(options.rounds));
    if (town && parts.includes('diff'))
      figures.diff = await readLargeChange(await open(town.buyer), `${place.url}/tasks/${town.taskId}`);
    if (parts.includes('changes')) figures.changes = await watchChanges(place, open, Number(options.changes));
    if (parts.includes('scroll')) {
      const owner = await makeManyTasks(place, Number(options.tasks));
      figures.interactions = await useThePages(await open(owner), place.url, Number(options.rounds));
      figures.scroll = await scrollTasks(await open(owner), place.url, Number(options.tasks));
    }
    const summary = report(figures);
    if (!options['dry-run']) console.log(`\n${keepResults('dashboard', { ...summary, figures })} written`);
  } finally {
    await chromium.close();
    await server.stop();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
