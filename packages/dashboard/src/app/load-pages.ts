import type { AnyRoute, AnyRouter } from '@tanstack/react-router';

/** Late enough that it takes nothing from the page which somebody waits for. */
const afterMs = 10_000;

/** Parts that pages show but do not begin with. */
const parts: readonly (() => Promise<unknown>)[] = [
  () => import('./Palette.tsx'),
  () => import('../pages/start/Overview.tsx'),
  () => import('../pages/agents/charts.tsx'),
  () => import('../pages/vault/BalancePlot.tsx'),
  () => import('../pages/tasks/bulk/BulkBar.tsx'),
  () => import('../pages/task/diff/Diff.tsx'),
  () => import('../pages/task/RunView.tsx'),
  () => import('../pages/task/content/Rendered.tsx'),
  () => import('../pages/task/content/FileContent.tsx'),
];

const isSparing = () => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

/**
 * Loads the code of all pages while nothing else is to do, until the returned function is called. Without a network, a
 * page whose code is missing could only become the browser's own error page.
 */
export function loadPagesWhenIdle(router: AnyRouter): () => void {
  if (isSparing()) return () => {};
  const timer = setTimeout(() => {
    const routes = Object.values<AnyRoute>(router.routesById).map((route) => () => router.loadRouteChunk(route));
    for (const load of [...routes, ...parts]) whenIdle(() => void load()?.catch(() => {}));
  }, afterMs);
  return () => clearTimeout(timer);
}

// Not every browser knows it.
const whenIdle = (act: () => void) => ('requestIdleCallback' in window ? requestIdleCallback(act) : setTimeout(act));
