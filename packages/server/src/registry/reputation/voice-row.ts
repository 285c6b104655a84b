import type { Heard, Voice } from './voice.ts';

type StoredHeard = [
  task: string,
  at: number,
  category: Heard['category'],
  price: number,
  outcome: number | null,
  feedback: number | null,
  prompt: number | null,
  economic: number | null,
  reliability: number | null,
];

/** A voice as its row has it: lists, for there are many and the names would be most of it. */
export type StoredVoice = [weight: number, ...StoredHeard[]];

export const packVoice = ({ weight, heard }: Voice): StoredVoice => [
  weight,
  ...heard.map(
    (one): StoredHeard => [
      one.task,
      one.at,
      one.category,
      one.price,
      one.outcome,
      one.feedback,
      one.prompt,
      one.economic,
      one.reliability,
    ],
  ),
];

export const unpackVoice = ([weight, ...heard]: StoredVoice): Voice => ({
  weight,
  heard: heard.map(([task, at, category, price, outcome, feedback, prompt, economic, reliability]) => ({
    task,
    at,
    category,
    price,
    outcome,
    feedback,
    prompt,
    economic,
    reliability,
  })),
});
