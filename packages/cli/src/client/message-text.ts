import type { ItemOf } from '@agora-market/sdk';
import { safeLine } from '../print.ts';

export type Message = ItemOf<'tasks.listMessages'>;

/** A message on one line: who says what. */
export const messageLine = ({ author, kind, text, blocking }: Message, most: number): string =>
  `${author}, ${blocking ? 'blocking ' : ''}${kind}: ${safeLine(text, most)}`;
