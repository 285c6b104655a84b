import { parseArgs } from 'node:util';

/** Every number of the simulation, with what it means; each is a flag of the same name. */
const flags = {
  seeds: [20, 'how many worlds each question is put to'],
  'first-seed': [1, 'seed of the first world'],
  threads: [0, 'worker threads; 0: one for each processor'],
  agents: [30, 'agents at the start; each works in one or both of two categories'],
  buyers: [60, 'owners that buy'],
  tasks: [5400, 'tasks in a run'],
  'warm-up': [2700, 'tasks before anything is counted'],
  days: [150, 'days that a run takes'],
  load: [1, 'so many times as many tasks a day'],
  arrivals: [0.4, 'agents that come for 100 tasks; as many leave'],
  'drift-steps': [0, 'small steps (deviation 0.012) that the quality of an agent takes in a run'],
  'drift-leaps': [0, 'how often an agent gets a new quality in a run'],
  unmeasured: [0, 'share of tasks of which the gate measures nothing'],
  thumbs: [0.3, 'share of passed tasks that the buyer gives a thumb'],
  'false-thumbs': [0.05, 'share of thumbs that say the opposite'],
  spread: [0.12, 'deviation of the worth of an agent’s work around its quality, 0-1'],
  'gate-noise': [0, 'deviation of the gate’s score around the worth of the work, 0-1'],
  'gate-bias': [0, 'the same, for all work of one agent alike'],
  'pass-only': [0, '1: the gate’s score is 100 or 0'],
  tastes: [0, 'deviation of what an agent’s work is worth to one buyer, 0-1'],
  strictness: [0, 'the same for the work of all agents alike'],
  liars: [0.1, 'share of agents that dispute each of their failures'],
  'lies-believed': [0.1, 'share of these disputes that they win'],
  'suspended-hours': [24, 'hours after which its owner brings a suspended agent back'],
  price: [250, 'median list price in cents'],
  'ring-size': [20, 'identities of the ring of the first two attacks, each of an owner of its own'],
  'ring-price': [10, 'cents of a task that they do for each other'],
  'ring-tasks': [10, 'tasks that each identity buys from each other one'],
  'ring-quality': [0.6, 'quality of their honest work, 0-1'],
  'wash-quality': [0.5, 'quality of the agents that come back under new names, 0-1'],
  'wash-middling': [0.65, 'the same of agents that are not as bad'],
  'wash-agents': [4, 'how many do so in one world'],
  'slander-owners': [10, 'owners that slander the best agent of a category'],
  'slander-tasks': [20, 'tasks that each of them buys, to give thumbs down'],
  'slander-price': [10, 'cents of such a task'],
  refusers: [0.1, 'share of real buyers that take the money back for all work of the best agent'],
  'bait-price': [1, 'cents that a baiting agent asks at first'],
  'bait-tasks': [30, 'tasks after which it asks three times the median'],
  'bait-quality': [0.6, 'quality of the baiting agent, 0-1'],
  'bad-quality': [0.5, 'quality of the best agent once it has gone bad, 0-1'],
  'newcomer-quality': [0.95, 'quality of the newcomer that is followed, 0-1'],
  'incumbent-newcomers': [20, 'newcomers beside the one known agent'],
  'incumbent-rivals': [0.85, 'their quality, 0-1'],
  accomplices: [20, 'owners that pay one agent for nothing'],
  'accomplice-tasks': [3, 'tasks that each of them buys'],
  'accomplice-price': [1000, 'cents of such a task'],
  'accomplice-quality': [0.6, 'quality of the agent that they pay, 0-1'],
  'free-identities': [200, 'identities without a payment instrument that come to a category'],
} as const;

type Flag = keyof typeof flags;

export type Options = Readonly<Record<Flag, number>>;

export const defaults = Object.fromEntries(Object.entries(flags).map(([flag, [value]]) => [flag, value])) as Record<
  Flag,
  number
>;

/** Thrown at a flag that means nothing. */
export class UsageError extends Error {}

/** The options that a command line names; null where it asks for help. */
export function readOptions(argv: string[]): (Options & { out: string | null; only: RegExp }) | null {
  const options = Object.fromEntries(Object.keys(flags).map((flag) => [flag, { type: 'string' as const }]));
  const parsed = parseArgs({
    args: argv,
    options: { ...options, help: { type: 'boolean' }, out: { type: 'string' }, only: { type: 'string' } },
  });
  const values: Partial<Record<string, string | boolean>> = parsed.values;
  if (values.help) return null;
  const found = { ...defaults };
  for (const flag of Object.keys(flags) as Flag[]) {
    const text = values[flag];
    if (typeof text !== 'string') continue;
    const number = Number(text);
    if (text.trim() === '' || !Number.isFinite(number) || number < 0) {
      throw new UsageError(`--${flag} takes a number from 0 up, not "${text}".`);
    }
    found[flag] = number;
  }
  return {
    ...found,
    out: typeof values.out === 'string' ? values.out : null,
    only: new RegExp(typeof values.only === 'string' ? values.only : ''),
  };
}

export const help = (): string =>
  [
    'npm run sim -- market [--flag value]…',
    '',
    ...Object.entries(flags).map(([flag, [value, what]]) => `  --${flag.padEnd(19)} ${what} (${value})`),
    `  --${'only'.padEnd(19)} puts the questions alone whose name this pattern matches, and writes no plots`,
    `  --${'out'.padEnd(19)} directory for the plots; "none" writes none (docs/market)`,
  ].join('\n');
