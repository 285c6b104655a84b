import type { Pool, Tx } from '../../platform/index.ts';
import { bounds, textOf, within } from './bounds.ts';
import { alike, among, findAll, frontier, type Hit, moved, type Place, type Wanted, walk } from './find.ts';

export interface Ask {
  wanted: Wanted;
  after: Place;
  /** The order is the one of this moment; `always` where that cannot be told any more. */
  since: Date;
  limit: number;
}

export interface Found {
  hits: Hit[];
  /** Where to go on; null where nothing is left. */
  next: Place | null;
  /** As asked for, or `always`. */
  since: Date;
}

/** Later than every move: the present order. */
export const always = new Date('9999-01-01T00:00:00.000Z');
export const start: Place = { behind: -1, agentId: '00000000-0000-0000-0000-000000000000' };

const isBefore = (a: Place, b: Place) => a.behind < b.behind || (a.behind === b.behind && a.agentId < b.agentId);
const inOrder = (hits: Hit[]) => hits.sort((a, b) => (isBefore(a, b) ? -1 : 1));

/**
 * The next agents that fit, in order. Where many fit, the first that are looked at fill the page. Where few do, the
 * indexes find all of them. In between, and where what fits stands far down, a bounded number is looked at in order; then
 * there may be fewer than asked for, with a place to go on from.
 */
export async function findPage(pool: Pool, ask: Ask): Promise<Found> {
  const { wanted, after, limit } = ask;
  const movers = ask.since === always ? [] : await moved(pool, wanted, ask.since, bounds.moved);
  const since = movers === null ? always : ask.since;
  const inside = (movers ?? []).filter((hit) => isBefore(after, hit));
  /** With the agents that moved, as far as the order was looked at. */
  const upTo = (hits: Hit[], end: Place | null): Found => {
    const all = inOrder([...hits, ...inside.filter((hit) => end === null || !isBefore(end, hit))]);
    if (all.length <= limit) return { hits: all, next: end, since };
    const shown = all.slice(0, limit);
    return { hits: shown, next: shown.at(-1) as Hit, since };
  };
  const kind = textOf(wanted);
  const [firstVisit, lastVisit] = [bounds.firstVisit[kind], bounds.lastVisit[kind]];
  const first = await walk(pool, wanted, { after, since, visit: firstVisit, limit: limit + 1 });
  if (first.length > limit) return upTo(first, first.at(-1) as Hit);
  const whole = await within(pool, bounds.allMs, (tx) => findAll(tx, wanted, since, bounds.all));
  if (whole !== null) return fromWhole(whole, { ...ask, since });
  const reached = await frontier(pool, wanted, after, firstVisit);
  if (reached === null) return upTo(first, null);
  const rest = await walk(pool, wanted, { after: reached, since, visit: lastVisit, limit: limit + 1 - first.length });
  const hits = [...first, ...rest];
  if (hits.length > limit) return upTo(hits, hits.at(-1) as Hit);
  return upTo(hits, await frontier(pool, wanted, reached, lastVisit));
}

/** Agents whose names are like the words; none where that takes too long to find out. */
export async function findAlike(pool: Pool, ask: Ask): Promise<Found> {
  const { q } = ask.wanted;
  const agents = (q !== null && (await within(pool, bounds.alikeMs, (tx) => mostAlike(tx, q)))) || [];
  return fromWhole(await among(pool, ask.wanted, agents, ask.since), ask);
}

async function mostAlike(tx: Tx, q: string): Promise<string[]> {
  const { ofWord, ofWords } = bounds.likeness;
  for (const likeness of /[\p{L}\p{N}][^\p{L}\p{N}]+[\p{L}\p{N}]/u.test(q) ? ofWords : ofWord) {
    const found = await alike(tx, q, { likeness, ...bounds.alike });
    if (found.length > 0) return found;
  }
  return [];
}

function fromWhole(hits: Hit[], { after, limit, since }: Ask): Found {
  const rest = inOrder(hits.filter((hit) => isBefore(after, hit)));
  const shown = rest.slice(0, limit);
  return { hits: shown, next: rest.length > limit ? (shown.at(-1) as Hit) : null, since };
}
