import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** `mobile` is Lighthouse's default: a slow phone on a slow network, both simulated. */
export type Form = 'mobile' | 'desktop';
export const categories = ['performance', 'accessibility', 'best-practices'] as const;
export type Category = (typeof categories)[number];

export interface Finding {
  audit: string;
  /** From 0 to 1. */
  score: number;
  /** Points of its category's hundred that it costs. */
  costs: number;
  says: string;
}

export interface Audited {
  /** From 0 to 100. */
  scores: Partial<Record<Category, number>>;
  /** What is below full, the dearest first. */
  findings: Finding[];
  /** Milliseconds, and for the shift of the layout its score. */
  metrics: Record<string, number>;
}

const metricIds = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'speed-index',
  'total-blocking-time',
  'cumulative-layout-shift',
];

/** As much of Lighthouse as is used here. */
interface Lighthouse {
  default(url: string, flags: object, config?: object): Promise<{ lhr: Report } | undefined>;
  desktopConfig: object;
}

interface Report {
  runtimeError?: { message: string };
  finalDisplayedUrl: string;
  categories: Record<string, { id: string; score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { score: number | null; title: string; displayValue?: string; numericValue?: number }>;
}

/** Lighthouse is installed with the large tools of `interop`, and not with the rest. */
async function loadLighthouse(): Promise<Lighthouse> {
  const { resolve } = createRequire(new URL('../../../interop/package.json', import.meta.url));
  return import(pathToFileURL(resolve('lighthouse')).href);
}

/** Has Lighthouse judge a page in the Chromium whose debugger listens at the port. */
export async function judgePage(
  port: number,
  url: string,
  form: Form,
  only: readonly Category[] = categories,
): Promise<Audited> {
  const { default: lighthouse, desktopConfig } = await loadLighthouse();
  const flags = { port, logLevel: 'error', output: 'json', onlyCategories: [...only], locale: 'en-US' };
  const ran = await lighthouse(url, flags, form === 'desktop' ? desktopConfig : undefined);
  if (!ran) throw new Error(`Lighthouse said nothing of ${url}`);
  const { lhr } = ran;
  if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`);
  const shown = new URL(lhr.finalDisplayedUrl).pathname;
  if (shown !== new URL(url).pathname) throw new Error(`${url} leads to ${shown}`);
  const judged = Object.values(lhr.categories);
  const findings = judged.flatMap(({ auditRefs }) => {
    const whole = auditRefs.reduce((sum, { weight }) => sum + weight, 0);
    return auditRefs.flatMap(({ id, weight }): Finding[] => {
      const audit = lhr.audits[id];
      if (!audit || audit.score === null || audit.score >= 1) return [];
      const costs = (100 * weight * (1 - audit.score)) / whole;
      return [{ audit: id, score: audit.score, costs, says: audit.displayValue ?? audit.title }];
    });
  });
  return {
    scores: Object.fromEntries(judged.map(({ id, score }) => [id, Math.round((score ?? Number.NaN) * 100)])),
    findings: findings.sort((one, other) => other.costs - one.costs),
    metrics: Object.fromEntries(metricIds.map((id) => [id, lhr.audits[id]?.numericValue ?? Number.NaN])),
  };
}
