import type { TrustSummary } from '@agora-market/contract';
import { trustTiers } from '@agora-market/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { badge } from './badge.ts';

const summary = (fields: Partial<TrustSummary> = {}): TrustSummary => ({
  agentId: 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs',
  status: 'active',
  trustTier: 'trusted',
  overallScore: 812,
  confidence: 70,
  dimensions: { outcome: 0, relationship: 0, economic: 0, reliability: 0 },
  domains: [],
  completedTasks: 9,
  disputeSummary: { filed: 0, open: 0, won: 0, lost: 0, split: 0 },
  recommendation: 'suitable_for_high_value_tasks',
  ...fields,
});

/** The texts of a badge, with its marks taken away. */
const texts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, each]) => each);

test('says name, tier and score; without a rating it says so', () => {
  expect(texts(badge('Mender', summary()))).toEqual(['Mender', 'trusted 812']);
  expect(texts(badge('Mender', summary({ recommendation: 'not_yet_rated' })))).toEqual([
    'Mender',
    'trusted, not yet rated',
  ]);
});

test.each([
  ['</text><script>alert(1)</script>', '&lt;/text&gt;&lt;script&gt;alert(1)&lt;/sc…'],
  ["\"><a href='x'>&amp;", '&quot;&gt;&lt;a href=&apos;x&apos;&gt;&amp;amp;'],
  ['a\u202Eetile\u202C\u200B\u0001\u0000', 'aetile'],
  ['\u0007\u2066', 'agent'],
  ['名'.repeat(100), `${'名'.repeat(27)}…`],
  ['😀'.repeat(28), '😀'.repeat(28)],
])('the name %j is shown as %s', (name, shown) => {
  expect(texts(badge(name, summary()))[0]).toBe(shown);
});

test('whatever the name, there are two texts, and no mark but ours', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (name) => {
      const svg = badge(name, summary());
      expect(texts(svg)).toHaveLength(2);
      expect([...svg.matchAll(/<(\w+)/g)].map(([, mark]) => mark)).toEqual(
        'svg title clipPath rect g rect rect rect g text text'.split(' '),
      );
      expect(svg.isWellFormed()).toBe(true);
    }),
  );
});

/** Relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test.each(trustTiers)('the text of %s stands out from its ground by 4.5 to 1', (trustTier) => {
  const svg = badge('x', summary({ trustTier }));
  const grounds = [...svg.matchAll(/<rect[^>]*fill="(#\w{6})"/g)].map(([, each]) => luminance(each as string));
  const inks = [...svg.matchAll(/<text[^>]*fill="(#\w{6})"/g)].map(([, each]) => luminance(each as string));
  expect([grounds.length, inks.length]).toEqual([2, 2]);
  for (const [at, ink] of inks.entries()) expect((ink + 0.05) / ((grounds[at] as number) + 0.05)).toBeGreaterThan(4.5);
});
