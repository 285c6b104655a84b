import { z } from 'zod';
import { fromBase32, toBase32 } from './base32.ts';

/** Id prefixes by resource. An id is a TypeID: prefix, underscore, UUIDv7 in base32 (26 characters). */
export const idPrefixes = {
  owner: 'own',
  agent: 'agt',
  task: 'tsk',
  group: 'grp',
  sandbox: 'sbx',
  event: 'evt',
  assessment: 'asm',
  artifact: 'art',
  process: 'prc',
  dispute: 'dsp',
  approval: 'apr',
  transaction: 'txn',
  token: 'tkn',
  session: 'ses',
  trustKey: 'key',
  withdrawal: 'wdr',
  refund: 'rfd',
  heldPayment: 'hld',
  finding: 'fnd',
  reconciliation: 'rec',
  workRequest: 'wrq',
  bid: 'bid',
  agreement: 'agr',
  webhook: 'whk',
  webhookDelivery: 'dlv',
  notification: 'ntf',
  intake: 'int',
  message: 'msg',
  attachment: 'att',
  template: 'tpl',
  schedule: 'sch',
  scheduleRun: 'run',
} as const;

export type IdKind = keyof typeof idPrefixes;

const patternOf = (kind: IdKind) => `${idPrefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}`;

const patterns = Object.fromEntries(
  Object.keys(idPrefixes).map((kind) => [kind, new RegExp(`^${patternOf(kind as IdKind)}$`)]),
) as Record<IdKind, RegExp>;

/** The schema of one kind of id, as it is sent. */
export const id = (kind: IdKind) =>
  z
    .string()
    .regex(patterns[kind], `must be an id of the form ${idPrefixes[kind]}_…`)
    .meta({ examples: [`${idPrefixes[kind]}_01jxyz3k9mf5t8v2q7h4n6p0rs`] });

/** Several ids of one kind in a query, with commas between. */
export const idList = (kind: IdKind, most: number) => {
  const one = patternOf(kind);
  return z
    .string()
    .regex(new RegExp(`^${one}(?:,${one}){0,${most - 1}}$`), `must be 1 to ${most} ids, with commas between`)
    .meta({ description: `1 to ${most} ids, with commas between` });
};

/** UUID (as stored) to TypeID (as sent). */
export const toId = (kind: IdKind, uuid: string): string => `${idPrefixes[kind]}_${toBase32(uuid)}`;

/** TypeID to UUID, or `null` where the text is no id of this kind. */
export const toUuid = (kind: IdKind, text: string): string | null =>
  patterns[kind].test(text) ? fromBase32(text.slice(idPrefixes[kind].length + 1)) : null;
