import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

/** How tests and benches start Chromium. */
export const chromiumFlags = [
  // The sandbox of the browser needs rights that root in a container does not have; only our own pages are opened.
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-dev-shm-usage',
  // No page may need the network, and no test either.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

export function findChromium(): string {
  const path = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim();
  if (path === '') throw new Error('Chromium is missing. "npm test" installs it, where it may.');
  return path;
}

/** A Chromium of its own that another program can drive too. */
export interface DrivenChromium {
  /** Its one profile: cookies that are set here are those of the other program's pages. */
  profile: BrowserContext;
  /** Where its debugger listens. */
  port: number;
  close(): Promise<void>;
}

export async function startChromium(): Promise<DrivenChromium> {
  const directory = mkdtempSync(join(tmpdir(), 'agora-chromium-'));
  const forget = () => rmSync(directory, { recursive: true, force: true });
  try {
    const profile = await chromium.launchPersistentContext(directory, {
      executablePath: findChromium(),
      args: [...chromiumFlags, '--remote-debugging-port=0'],
      locale: 'en-GB',
      timezoneId: 'UTC',
    });
    const [port] = readFileSync(join(directory, 'DevToolsActivePort'), 'utf8').split('\n');
    const close = async () => {
      try {
        await profile.close();
      } finally {
        forget();
      }
    };
    return { profile, port: Number(port), close };
  } catch (error) {
    forget();
    throw error;
  }
}
