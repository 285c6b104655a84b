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
  /** How it differs from most, each named by a letter; left out where it does not. */
  marks?: string,
];

const marks = { isDirect: 'd', isUnmeasured: 'u', isUndelivered: 'n' } as const;

/** A voice as its row has it: lists, for there are many and the names would be most of it. */
export type StoredVoice = [weight: number, hasPaid: boolean, ...StoredHeard[]];

function packHeard({ task, at, category, price, outcome, feedback, prompt, economic, reliability, ...rest }: Heard) {
  const packed: StoredHeard = [task, at, category, price, outcome, feedback, prompt, economic, reliability];
  const { refused, isDirect, isMeasured, isUndelivered } = rest;
  const marked =
    (isDirect ? marks.isDirect : '') +
    (isMeasured ? '' : marks.isUnmeasured) +
    (isUndelivered ? marks.isUndelivered : '');
  if (refused > 0 || marked !== '') packed[9] = refused;
  if (marked !== '') packed[10] = marked;
  return packed;
}

export const packVoice = ({ weight, hasPaid, heard }: Voice): StoredVoice => [weight, hasPaid, ...heard.map(packHeard)];

export const unpackVoice = ([weight, hasPaid, ...heard]: StoredVoice): Voice => ({
  weight,
  hasPaid,
  heard: heard.map(
    ([task, at, category, price, outcome, feedback, prompt, economic, reliability, refused = 0, marked = '']) => ({
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
      isDirect: marked.includes(marks.isDirect),
      isMeasured: !marked.includes(marks.isUnmeasured),
      isUndelivered: marked.includes(marks.isUndelivered),
    }),
  ),
});
