import { feeBps, splitPrice } from '@agora-market/contract';

/** Cents per million tokens. */
export interface Prices {
  input: number;
  output: number;
}

export interface Tokens {
  input: number;
  output: number;
}

/** Text of about four characters is a token, in English and in code. Guessed low, so that a budget is kept. */
const charsPerToken = 3;

/** Tokens that a text has, about. */
export const tokensOf = (text: string): number => Math.ceil(text.length / charsPerToken);

/** What the agent gets of a price, in cents. */
export const payoutOf = (priceCents: number | null): number => splitPrice(priceCents ?? 0, feeBps).payoutCents;

/** Cents, with fractions. */
const costOf = ({ input, output }: Tokens, prices: Prices): number =>
  (input * prices.input + output * prices.output) / 1_000_000;

/** A shorter reply is of no use, so a budget that allows no more is used up. */
const leastReplyTokens = 200;

/** What one task may cost, in cents and in tokens. */
export class Budget {
  readonly #prices: Prices;
  readonly #most: { cents: number; tokens: number };
  /** How many times more the endpoint counted at the last reply than was thought. */
  #scale = 1;
  readonly used: Tokens = { input: 0, output: 0 };

  constructor(prices: Prices, most: { cents: number; tokens: number }) {
    this.#prices = prices;
    this.#most = most;
  }

  /** Cents used so far, with fractions. */
  get cents(): number {
    return costOf(this.used, this.#prices);
  }

  /** Counts a reply. `expectedInput` is what was thought that it would read: endpoints count in ways of their own. */
  add({ input, output }: Tokens, expectedInput: number): void {
    this.used.input += input;
    this.used.output += output;
    this.#scale = Math.max(1, input / expectedInput);
  }

  /** Tokens that the next reply may have, given what it reads. Throws if that is too few to be of use. */
  replyTokens(expectedInput: number): number {
    const inputTokens = Math.ceil(expectedInput * this.#scale);
    const { cents, tokens } = this.#most;
    const byTokens = tokens - this.used.input - this.used.output - inputTokens;
    const centsLeft = cents - this.cents - costOf({ input: inputTokens, output: 0 }, this.#prices);
    const byCents = this.#prices.output > 0 ? (centsLeft * 1_000_000) / this.#prices.output : Number.POSITIVE_INFINITY;
    if (byTokens < leastReplyTokens) throw new Error(`The model's budget of ${tokens} tokens is used up`);
    if (centsLeft < 0 || byCents < leastReplyTokens) {
      throw new Error(`The model's budget of ${cents} cents is used up: ${this.cents.toFixed(2)} were spent`);
    }
    return Math.floor(Math.min(byTokens, byCents));
  }
}

/** What tasks of these kinds take before any was done here. Guesses: a repair in twelve steps, and one text. */
const firstGuess = { work: { input: 80_000, output: 5_000 }, text: { input: 2_000, output: 2_000 } } as const;

/** The newest tasks say most of what the next one takes. */
const weightOfNewest = 0.3;

/** Expects what a task will take by what those before it took. */
export class Expectation {
  readonly #taken: Record<keyof typeof firstGuess, Tokens> = { work: firstGuess.work, text: firstGuess.text };

  note(kind: keyof typeof firstGuess, used: Tokens): void {
    const mean = (one: number, other: number) => one + weightOfNewest * (other - one);
    const { input, output } = this.#taken[kind];
    this.#taken[kind] = { input: mean(input, used.input), output: mean(output, used.output) };
  }

  /** Cents that a task will cost, about. */
  cents(kind: keyof typeof firstGuess, description: string, prices: Prices): number {
    const { input, output } = this.#taken[kind];
    return costOf({ input: input + tokensOf(description), output }, prices);
  }
}
