import { spawnSync } from 'node:child_process';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
// @ts-expect-error: the scripts are plain JavaScript, so that they run before anything is installed.
import { buildDashboard } from '../../../../scripts/setup.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's one Chromium is reached. */
    chromium: string;
  }
}

const flags = [
  // The sandbox of the browser needs rights that root in a container does not have; only our own pages are opened.
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-dev-shm-usage',
  // No page may need the network, and no test either.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** The dashboard as it is now, and one browser for the whole run: files of tests open pages of their own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildDashboard();
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim();
  if (executablePath === '') throw new Error('Chromium is missing. "npm test" installs it, where it may.');
  const browser = await chromium.launchServer({ executablePath, args: flags });
  project.provide('chromium', browser.wsEndpoint());
  return () => browser.close();
}
