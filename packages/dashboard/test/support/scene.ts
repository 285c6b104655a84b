import { Agora, type Body } from '@agora-market/sdk';
import { createWorker, type TaskHandler } from '@agora-market/sdk/worker';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import {
  startTestServer,
  type TestAgent,
  type TestOwner,
  type TestServer,
  type TestServerOptions,
} from '../../../server/test/support/harness.ts';
import { runningClock } from './running-clock.ts';
import { watchFaults } from './watch-faults.ts';

export interface PageOptions {
  /** Where the page opens. Default `/`. */
  path?: string;
  /** Signed in from the start, by a cookie. Default: a visitor. */
  owner?: Pick<TestOwner, 'token'>;
  /** What the machine prefers. Default `light`. */
  theme?: 'light' | 'dark';
  /** Width of the window in pixels. Default 1280. */
  width?: number;
  /** Where its visitor is. Default `UTC`. */
  timezone?: string;
  /** Its clock starts where the server's is, and goes forward with it by `pass`. Default: the machine's clock. */
  clock?: 'server';
}

export interface WorkerScene {
  /** What the agent is registered with. */
  fields?: Partial<Body<'agents.register'>>;
  /** Whose agent it is. Default: another owner. */
  owner?: TestOwner;
  /** Does a task. Default: it answers at once that it is done. */
  handle?: TaskHandler;
}

/** A server with its jobs on a clock that runs, and pages of a real browser on it. */
export interface Scene {
  server: TestServer;
  /** Opens a page in a browser profile of its own: nothing is shared but with tabs that it opens itself. */
  openPage(options?: PageOptions): Promise<Page>;
  /** An agent whose worker accepts and does what comes until the file's tests are over. */
  workingAgent(options?: WorkerScene): Promise<TestAgent>;
  /** Puts the server's clock forward, and that of pages which share it: what waits there for this long happens now. */
  pass(ms: number, ...pages: Page[]): Promise<void>;
  /** Errors of all pages since the last call. Those that a test expects are taken by it; any left fail it. */
  takeFaults(): string[];
}

/** The scene of a test file. No page may have had an error, or have been kept by its policy from what it tried. */
export function sceneForFile(options: Omit<TestServerOptions, 'clock'> = {}): Scene {
  let server: TestServer | undefined;
  let browser: Browser | undefined;
  let faults: string[] = [];
  const contexts: BrowserContext[] = [];
  const ends: (() => Promise<void>)[] = [];
  const started = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('The scene is set before the first test; use it inside one.');
    return part;
  };

  beforeAll(async () => {
    browser = await chromium.connect(inject('chromium'));
    server = await startTestServer({ ...options, clock: runningClock() });
    server.app.startJobs();
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map(leave));
    expect(takeFaults()).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all(ends.map((end) => end()));
    await browser?.close();
    await server?.close();
  });

  function takeFaults(): string[] {
    const taken = faults;
    faults = [];
    return taken;
  }

  return {
    get server() {
      return started(server);
    },
    takeFaults,
    async openPage({ path = '/', owner, theme = 'light', width = 1280, timezone = 'UTC', clock } = {}) {
      const { url } = started(server);
      const context = await started(browser).newContext({
        baseURL: url,
        colorScheme: theme,
        viewport: { width, height: 800 },
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: timezone,
      });
      contexts.push(context);
      // It ends what hangs, as the time of a test does.
      context.setDefaultTimeout(240_000);
      await watchFaults(context, (fault) => faults.push(fault));
      if (clock) await context.clock.install({ time: started(server).clock.now() });
      if (owner) await context.addCookies([{ name: 'agora-session', value: owner.token, url, ...asSet }]);
      const page = await context.newPage();
      await page.goto(path);
      return page;
    },
    async pass(ms, ...pages) {
      started(server).clock.advance(ms);
      await Promise.all(pages.map((page) => page.clock.fastForward(ms)));
    },
    async workingAgent({ owner, fields, handle = async () => ({ text: 'Done.' }) } = {}) {
      const seller = owner ?? (await started(server).owner({ credits: 0 }));
      const agent = await seller.agent(fields);
      const agora = new Agora({ baseUrl: started(server).url, agentKey: agent.key });
      const stopping = new AbortController();
      const done = createWorker({ agora, handle }).run({ signal: stopping.signal });
      ends.push(() => {
        stopping.abort();
        return done;
      });
      return agent;
    },
  };
}

/** A page may be asking still, and a test that answers in the server's place must not fail for it. */
async function leave(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await context.close();
}

const asSet = { httpOnly: true, sameSite: 'Strict' } as const;
