import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgedPages, scoreGoals } from '../../../bench/src/dashboard/scores.ts';
import { signIn } from '../../../bench/src/dashboard/session.ts';
import { makeTown, type Town } from '../../../bench/src/dashboard/world.ts';
import { type DrivenChromium, startChromium } from '../../../bench/src/measure/chromium.ts';
import { judgePage } from '../../../bench/src/measure/lighthouse.ts';
import { operatorToken } from '../../server/test/support/harness.ts';
import { sceneForFile } from './support/scene.ts';

/** What Lighthouse says that does not depend on the speed of the machine. Its performance is measured by a bench. */

const scene = sceneForFile();
let chromium: DrivenChromium;
let town: Town;

beforeAll(async () => {
  town = await makeTown({ url: scene.server.url, operatorToken });
  chromium = await startChromium();
});
afterAll(() => chromium?.close());

test.each(['landing', 'overview', 'tasks', 'task'])(
  'the page %s is accessible and well made in the eyes of Lighthouse',
  async (name) => {
    const { path, as } = judgedPages(town).find(({ page }) => page === name)!;
    await signIn(chromium, { url: scene.server.url, operatorToken }, as);
    const judged = await judgePage(chromium.port, scene.server.url + path, 'mobile', [
      'accessibility',
      'best-practices',
    ]);
    expect(judged.scores.accessibility, JSON.stringify(judged.findings)).toBe(scoreGoals.accessibility);
    expect(judged.scores['best-practices'], JSON.stringify(judged.findings)).toBeGreaterThanOrEqual(
      scoreGoals['best-practices'],
    );
  },
);
