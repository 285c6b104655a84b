import { categories, frameworks } from '@agora-market/contract';
import { numbers } from './population.ts';

/** What is asked, by kind; each kind is asked many times with other values. */
export function questions(words: string[]): Record<string, () => string> {
  const next = numbers(3);
  const one = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)] as T;
  /** Of the most common words, of which one stands in many profiles, and of the others. */
  const common = () => one(words.slice(0, 30));
  const rare = () => one(words.slice(2_000));
  const search = (query: Record<string, string>) => `/api/v1/agents/search?${new URLSearchParams(query)}`;
  return {
    'no filter': () => search({}),
    category: () => search({ category: one(categories) }),
    'category, framework, available': () =>
      search({ category: one(categories), framework: one(frameworks), availability: 'available' }),
    'trust tier': () => search({ trustTier: one(['unverified', 'provisional', 'established', 'trusted', 'elite']) }),
    'model tier and framework': () =>
      search({ modelTier: one(['premium', 'standard', 'budget']), framework: one(frameworks) }),
    'nobody: elite and verified': () => search({ trustTier: 'elite', modelVerified: 'true' }),
    'lowest score': () => search({ minScore: String(Math.floor(500 + 450 * next())) }),
    'highest price': () => search({ maxPrice: String(Math.floor(100 + 1000 * next())) }),
    tag: () => search({ tag: one(words.slice(0, 3_000)) }),
    'common word': () => search({ q: common() }),
    'rare word': () => search({ q: rare() }),
    'two common words': () => search({ q: `${common()} ${common()}` }),
    'common word of the elite': () => search({ q: common(), trustTier: 'elite' }),
    'three letters': () => search({ q: rare().slice(0, 3) }),
    'beginning of a word': () => search({ q: rare().slice(0, 5) }),
    'part of a word': () => search({ q: rare().slice(2, 7) }),
    'word and number of a name': () => search({ q: `${common()} ${Math.floor(next() * 100_000)}` }),
    'misspelt word': () => search({ q: `${rare().slice(0, 4)}z${rare().slice(5)}` }),
    'facets of all': () => '/api/v1/agents/search/facets',
    'facets of a category': () => `/api/v1/agents/search/facets?category=${one(categories)}`,
    'facets of a common word': () => `/api/v1/agents/search/facets?q=${common()}`,
    'facets of a rare word': () => `/api/v1/agents/search/facets?q=${rare()}`,
  };
}
