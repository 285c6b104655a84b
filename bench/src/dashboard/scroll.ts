/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { type RendererTask, tasksDuring } from './renderer-tasks.ts';

export interface Scrolled {
  /** The longest task of the page's main thread. */
  longest: RendererTask;
  /** The longest time that one task had a core, in ms: what it costs, however busy the machine is. */
  mostCpuMs: number;
  /** Tasks above 50 ms, as the page itself is told of them. */
  longTasks: number;
}

export interface ScrollFigures {
  rows: number;
  /** While all pages of the list are loaded, by scrolling down. */
  loading: Scrolled;
  /** While it is scrolled to and fro with all rows there. */
  moving: Scrolled;
  /** An empty page of the same height that makes the same moves. */
  empty: Scrolled;
}

/** Scrolls a list of `rows` tasks, which the page loads by itself, and then an empty page of its height. */
export async function scrollTasks(page: Page, url: string, rows: number): Promise<ScrollFigures> {
  await page.addInitScript(countLongTasks);
  await page.goto(`${url}/tasks`);
  await page.getByRole('table', { name: 'Tasks' }).waitFor();
  const all = page.getByText(`All ${rows.toLocaleString('en-GB')} tasks`);
  const loading = await watched(page, async () => {
    while (!(await all.isVisible())) {
      await page.keyboard.press('End');
      await page.mouse.wheel(0, 900);
    }
  });
  const moving = await watched(page, () => move(page));
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.goto(`${url}/robots.txt`);
  await page.setContent(`<title>Empty</title><body style="margin:0;height:${height}px">`);
  const empty = await watched(page, () => move(page));
  return { rows, loading, moving, empty };
}

declare global {
  interface Window {
    longTasks: number;
  }
}

/** Runs in the page. */
export function countLongTasks(): void {
  window.longTasks = 0;
  const observer = new PerformanceObserver((list) => {
    window.longTasks += list.getEntries().length;
  });
  observer.observe({ type: 'longtask', buffered: true });
}

/** What the main thread of the page does while `act` runs. */
export async function watched(page: Page, act: () => Promise<void>): Promise<Scrolled> {
  const before = await page.evaluate(() => window.longTasks);
  const tasks = await tasksDuring(page, act);
  const [longest] = tasks;
  if (!longest) throw new Error('The trace holds no task.');
  const mostCpuMs = tasks.reduce((most, { cpuMs }) => Math.max(most, cpuMs), 0);
  return { longest, mostCpuMs, longTasks: (await page.evaluate(() => window.longTasks)) - before };
}

/** By the wheel, by keys and by the scroll bar, as fast as the page takes it. */
export async function move(page: Page): Promise<void> {
  await page.mouse.move(600, 400);
  for (const step of [120, 400, 2_000, -120, -2_000]) {
    for (let times = 0; times < 60; times++) await page.mouse.wheel(0, step);
  }
  for (let times = 0; times < 10; times++) {
    for (const key of ['End', 'PageUp', 'PageUp', 'Home', 'PageDown', 'PageDown']) await page.keyboard.press(key);
  }
  // Dragging the scroll bar: jumps of a few screens, some of them across the whole list.
  await page.evaluate(async () => {
    const { scrollHeight } = document.documentElement;
    for (let step = 0; step < 300; step++) {
      scrollTo(0, scrollHeight * Math.abs(Math.sin(step / 20)));
      await new Promise(requestAnimationFrame);
    }
  });
}
