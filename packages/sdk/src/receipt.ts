import type { ReceiptStatement } from '@agora-market/contract';
import { chainProblems, type Entry, entriesProblem, fromBase64, isRecord, isSigned } from './receipt-chain.ts';
import { firstProblems, firstShapeProblem } from './receipt-first.ts';
import type { Reply } from './types.ts';

/** The signed record of a task, from `tasks.receipt`. */
export type Receipt = Reply<'tasks.receipt'>;
export type { ReceiptStatement };

/** The public keys of an installation, from `system.jwks`. */
export type KeySet = Reply<'system.jwks'>;

export interface ReceiptCheck {
  /** The receipt has no problems. `origin` says whether its signer is known. */
  valid: boolean;
  /** `proved`: a given key signed it. `unproved`: no key was given, so the signature was not checked. */
  origin: 'proved' | 'unproved';
  /** Problems in words; empty if there are none. */
  problems: string[];
  /** What the receipt states about the task; null if it cannot be read. */
  told: { taskId: string; status: string; issuedAt: string; keyId: string; events: number } | null;
  /** All that was signed, as an in-toto statement; null for receipts of version 0.1.0. */
  statement: ReceiptStatement | null;
}

/**
 * Verifies a receipt offline: neither the statement nor an event was changed, dropped, moved or added after signing, and
 * the owner of the keys signed it. Get the keys once from the installation itself: the reply of `system.jwks`, or
 * `publicKey` of `tasks.receiptKey`. With `null` the signature is not checked. Takes any value; a wrong one is a problem
 * in the result, not a rejection.
 */
export async function verifyReceipt(receipt: unknown, keys: KeySet | string | null): Promise<ReceiptCheck> {
  const origin = keys === null ? 'unproved' : 'proved';
  const refused = (problem: string): ReceiptCheck => ({
    valid: false,
    origin,
    problems: [problem],
    told: null,
    statement: null,
  });
  if (!isRecord(receipt)) return refused('This is no receipt: it is not a JSON object.');
  const keyOf = keys === null ? null : (keyId: string) => publicKeyOf(keys, keyId);
  if (receipt.format === 'agora-receipt-1') {
    const misshapen = firstShapeProblem(receipt);
    if (misshapen !== null) return refused(misshapen);
    const problems = await firstProblems(receipt, keyOf);
    const { taskId, status, issuedAt, keyId, entries } = receipt as Record<string, string> & { entries: Entry[] };
    const told = { taskId, status, issuedAt, keyId, events: entries.length } as ReceiptCheck['told'];
    return { valid: problems.length === 0, origin, problems, told, statement: null };
  }
  if (receipt.format !== 'agora-receipt-2') return refused('This is no receipt: its format is unknown.');
  const misshapen = entriesProblem(receipt.entries) ?? extraMember(receipt);
  if (misshapen !== null) return refused(misshapen);
  return check(receipt as Receipt, origin, keyOf, refused);
}

/** A member that the signature does not cover. */
function extraMember(receipt: Record<string, unknown>): string | null {
  if (typeof receipt.jws !== 'string') return 'This is no receipt: jws is missing.';
  const extra = Object.keys(receipt).find((name) => !['format', 'jws', 'entries'].includes(name));
  return extra === undefined ? null : `This is no receipt: nobody has signed its member ${extra}.`;
}

async function check(
  { jws, entries }: Receipt,
  origin: ReceiptCheck['origin'],
  keyOf: ((keyId: string) => string | null) | null,
  refused: (problem: string) => ReceiptCheck,
): Promise<ReceiptCheck> {
  const [header, payload, signature, ...rest] = jws.split('.');
  const head = jsonOf(header);
  const statement = statementOf(payload);
  if (
    head?.alg !== 'EdDSA' ||
    typeof head.kid !== 'string' ||
    !statement ||
    signature === undefined ||
    rest.length > 0
  ) {
    return refused('This is no receipt: its jws is not signed with EdDSA over a statement about a task.');
  }
  const { task, events, issuedAt } = statement.predicate;
  const problems = await chainProblems({ taskId: task.id, ...events }, entries);
  const key = keyOf?.(head.kid);
  if (key === null) problems.push(`The given key set has no key ${head.kid}.`);
  else if (key !== undefined && !(await isSigned(`${header}.${payload}`, signature, key))) {
    problems.push('The signature does not fit: what was signed was changed, or another key signed it.');
  }
  const told = { taskId: task.id, status: task.status, issuedAt, keyId: head.kid, events: events.count };
  return { valid: problems.length === 0, origin, problems, told, statement };
}

/** A part of a JWS as JSON; null if it is none. */
function jsonOf(part: string | undefined): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64(part ?? '')));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** The statement in a JWS, as far as it is looked at here; null if it is another one. */
function statementOf(part: string | undefined): ReceiptStatement | null {
  const value = jsonOf(part);
  if (value?.predicateType !== 'urn:agora:task-receipt:v1' || !isRecord(value.predicate)) return null;
  const { task, events, issuedAt } = value.predicate;
  if (!isRecord(task) || !isRecord(events)) return null;
  const texts = [task.id, task.status, events.head, issuedAt];
  const isWhole = texts.every((each) => typeof each === 'string') && typeof events.count === 'number';
  return isWhole ? (value as unknown as ReceiptStatement) : null;
}

/** The public key that must have signed, in base64; null if the set has none of this id. */
function publicKeyOf(keys: KeySet | string, keyId: string): string | null {
  if (typeof keys === 'string') return keys;
  const found = keys.keys.find(({ kid }) => kid === keyId);
  return found === undefined ? null : btoa(String.fromCharCode(...fromBase64(found.x)));
}
