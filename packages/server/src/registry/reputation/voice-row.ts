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
  /** Left out for most, which are not. */
  refused?: number,
];

/** A voice as its row has it: lists, for there are many and the names would be most of it. */
export type StoredVoice = [weight: number, ...StoredHeard[]];

function packHeard({ task, at, category, price, outcome, feedback, prompt, economic, reliability, refused }: Heard) {
  const packed: StoredHeard = [task, at, category, price, outcome, feedback, prompt, economic, reliability];
  if (refused > 0) packed[9] = refused;
  return packed;
}

export const packVoice = ({ weight, heard }: Voice): StoredVoice => [weight, ...heard.map(packHeard)];

export const unpackVoice = ([weight, ...heard]: StoredVoice): Voice => ({
  weight,
  heard: heard.map(([task, at, category, price, outcome, feedback, prompt, economic, reliability, refused = 0]) => ({
    task,
    at,
    category,
    price,
    outcome,
    feedback,
    prompt,
    economic,
    reliability,
    refused,
  })),
});
