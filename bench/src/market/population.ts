import { type Category, feeBps } from '@agora-market/contract';
import { type Chance, clamp, normal, pick } from './chance.ts';
import type { Options } from './options.ts';

export const categories = ['bug_fix', 'code_review'] as const satisfies Category[];

/** An agent as only the simulation knows it. */
export interface Agent {
  id: string;
  ownerId: string;
  /** What is its own and hidden besides its quality: from it come the tastes of buyers, 0–1. */
  nature: number;
  /** Mean score of its work in each category that it works in, 0–1; hidden from every strategy but the oracle. */
  quality: Map<Category, number>;
  /** Cents. */
  price: number;
  /** Share of its tasks that it never delivers. */
  unfinished: number;
  /** It disputes each of its failures. */
  lies: boolean;
  gone: boolean;
  /** How much better the gate thinks its work than it is, 0–1. */
  flatters: number;
  /** Its owner has a verified payment instrument. */
  isVerified: boolean;
}

/** The platform's share of a price. */
export const fee = feeBps / 10_000;

export interface Traits {
  /** Whose further agent it is; one of its own where it is left out. */
  ownerId?: string;
  quality?: number;
  category?: Category;
  price?: number;
  unfinished?: number;
  isVerified?: boolean;
}

/** Ids need only differ within a run; what a run does never depends on them. */
export function newAgent(id: string, random: Chance, options: Options, traits: Traits = {}): Agent {
  const own = traits.category ?? pick(random, categories);
  const other = pick(random, categories);
  const base = clamp(normal(random, 0.68, 0.14), 0.2, 0.95);
  const quality = new Map<Category, number>([[own, traits.quality ?? base]]);
  const besides = clamp(normal(random, base, 0.1), 0.15, 0.95);
  if (traits.category === undefined && other !== own) quality.set(other, besides);
  const price = Math.round(options.price * Math.exp(normal(random, 0, 0.35)));
  const unfinished = random() * 0.08;
  const lies = random() < options.liars;
  const isMade = traits.quality !== undefined;
  return {
    ...{ id, ownerId: traits.ownerId ?? `owner of ${id}`, quality, nature: random() },
    price: traits.price ?? (isMade ? options.price : price),
    unfinished: traits.unfinished ?? (isMade ? 0.02 : unfinished),
    lies: !isMade && lies,
    gone: false,
    flatters: normal(random, 0, options['gate-bias']),
    isVerified: traits.isVerified ?? true,
  };
}

/**
 * What work of a mean is worth on average to its buyer, 0–1: as much as it is good, and nothing below half. Work varies as the
 * normal distribution does, and ends at 1.
 */
export function worthOf({ unfinished }: Pick<Agent, 'unfinished'>, mean: number, spread: number): number {
  if (spread === 0) return mean >= 0.5 ? mean * (1 - unfinished) : 0;
  const [half, full] = [(0.5 - mean) / spread, (1 - mean) / spread];
  const between = mean * (passing(full) - passing(half)) - spread * (density(full) - density(half));
  return (1 - unfinished) * (between + 1 - passing(full));
}

const density = (z: number): number => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);

/** The normal distribution function; Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17. */
function passing(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const upper = 0.3989422804 * Math.exp((-z * z) / 2) * series;
  return z >= 0 ? 1 - upper : upper;
}
