import { deviationOf, meanOf } from '@agora-market/server/reputation';
import { besidesQuality, type Contender, choose } from '@agora-market/server/routing';
import { type Chance, pick } from './chance.ts';

/** An agent that could take a task, as a strategy sees it. Only the oracle looks at `worth`. */
export interface Option extends Contender {
  worth: number;
}

export type Strategy = (options: readonly Option[], maxBudget: number, random: Chance) => Option | undefined;

/** The first of the highest, in an order that chance gives, so that ties favour nobody. */
function highest(options: readonly Option[], random: Chance, by: (option: Option) => number): Option | undefined {
  let best: Option | undefined;
  let most = Number.NEGATIVE_INFINITY;
  const from = Math.floor(random() * options.length);
  for (let i = 0; i < options.length; i++) {
    const option = options[(from + i) % options.length] as Option;
    const value = by(option);
    if (value > most) [best, most] = [option, value];
  }
  return best;
}

/** What is expected of each agent, less what price and load take off: that part is the same for all strategies. */
const best =
  (expected: (option: Option) => number): Strategy =>
  (options, maxBudget, random) =>
    highest(options, random, (option) => {
      const { price, load, tags } = besidesQuality(option, { maxBudget });
      return expected(option) - price - load + tags;
    });

export const strategies = {
  random: (options, _budget, random) => (options.length === 0 ? undefined : pick(random, options)),
  'highest mean': best(({ posterior }) => meanOf(posterior)),
  /** Bayes-UCB in its simplest form: the mean and 1.645 deviations. Kaufmann, Cappé and Garivier (2012). */
  UCB: best(({ posterior }) => meanOf(posterior) + 1.645 * deviationOf(posterior)),
  'as built': (options, maxBudget, random) => {
    const first = choose(options, { maxBudget }, random)?.ranked[0];
    return options.find(({ agentId }) => agentId === first?.agentId);
  },
  oracle: best(({ worth }) => worth),
} satisfies Record<string, Strategy>;

export type StrategyName = keyof typeof strategies;
