import type { Page } from 'playwright-core';

/** What kept a page's main thread busy without a break, in ms. */
export interface RendererTask {
  ms: number;
  /** Of these, how long it had a core; for the rest it waited for one. */
  cpuMs: number;
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** µs */
  dur?: number;
  tdur?: number;
  args: { name?: string; data?: { frames?: { processId: number; parent?: string }[] } };
}

const kept = new Set(['RunTask', 'thread_name', 'TracingStartedInBrowser']);

/** The tasks of the page's main thread while `act` runs, the longest first. */
export async function tasksDuring(page: Page, act: () => Promise<void>): Promise<RendererTask[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as TraceEvent[]) if (kept.has(event.name)) events.push(event);
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline'] },
  });
  await act();
  const ended = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await ended;
  await session.detach();
  return longestFirst(events);
}

function longestFirst(events: readonly TraceEvent[]): RendererTask[] {
  const frames = events.find(({ name }) => name === 'TracingStartedInBrowser')?.args.data?.frames ?? [];
  const process = frames.find(({ parent }) => parent === undefined)?.processId;
  const main = events.find(
    ({ name, pid, args }) => name === 'thread_name' && pid === process && args.name === 'CrRendererMain',
  );
  if (!main) throw new Error('The trace does not say which thread is that of the page.');
  return events
    .filter(({ name, pid, tid }) => name === 'RunTask' && pid === main.pid && tid === main.tid)
    .map(({ dur = 0, tdur = 0 }) => ({ ms: dur / 1000, cpuMs: tdur / 1000 }))
    .sort((one, other) => other.ms - one.ms);
}
