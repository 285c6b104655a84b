import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { chromiumFlags, findChromium } from '../../../../bench/src/measure/chromium.ts';
// @ts-expect-error: the scripts are plain JavaScript, so that they run before anything is installed.
import { buildDashboard } from '../../../../scripts/setup.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's one Chromium is reached. */
    chromium: string;
  }
}

/** The dashboard as it is now, and one browser for the whole run: files of tests open pages of their own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildDashboard();
  const browser = await chromium.launchServer({ executablePath: findChromium(), args: chromiumFlags });
  project.provide('chromium', browser.wsEndpoint());
  return () => browser.close();
}
