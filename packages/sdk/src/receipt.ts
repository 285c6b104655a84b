import type { Reply } from './types.ts';

/** The signed record of a task, from `tasks.receipt`. */
export type Receipt = Reply<'tasks.receipt'>;

export interface ReceiptCheck {
  /** The receipt has no problems. `origin` says whether its signer is known. */
  valid: boolean;
  /**
   * `proved`: the given key signed it. `unproved`: the key named in the receipt signed it, which anyone can arrange.
   */
  origin: 'proved' | 'unproved';
  /** Problems in words; empty if there are none. */
  problems: string[];
}

/**
 * Verifies a receipt offline: no event was changed, dropped, moved or added after signing, and the owner of `publicKey`
 * signed it. Get the key once from the installation itself: `publicKey` of `tasks.receiptKey`. With `null` the key
 * named in the receipt is used. Takes any value; a wrong one is a problem in the result, not a rejection.
 */
export async function verifyReceipt(receipt: unknown, publicKey: string | null): Promise<ReceiptCheck> {
  const origin = publicKey === null ? 'unproved' : 'proved';
  const misshapen = shapeProblem(receipt);
  if (misshapen !== null) return { valid: false, origin, problems: [misshapen] };
  const { entries, signature, ...statement } = receipt as Receipt;
  const problems = await chainProblems(statement, entries);
  const key = publicKey ?? statement.publicKey;
  if (key !== statement.publicKey) {
    problems.push(`The receipt names the public key ${statement.publicKey}, which is not the given one.`);
  }
  if (!(await isSigned(canonical(statement), signature, key))) {
    problems.push('The signature does not fit: what was signed was changed, or another key signed it.');
  }
  return { valid: problems.length === 0, origin, problems };
}

/** Why a value does not have the shape of a receipt; null if it does. */
function shapeProblem(value: unknown): string | null {
  if (!isRecord(value)) return 'This is no receipt: it is not a JSON object.';
  if (value.format !== 'agora-receipt-1' || value.algorithm !== 'Ed25519') {
    return 'This is no receipt of the format agora-receipt-1 with an Ed25519 signature.';
  }
  for (const name of ['taskId', 'publicKey', 'head', 'signature']) {
    if (typeof value[name] !== 'string') return `This is no receipt: ${name} is missing.`;
  }
  if (!Array.isArray(value.entries) || value.entries.length === 0) return 'This is no receipt: it has no entries.';
  for (const [at, entry] of value.entries.entries()) {
    const fits = isRecord(entry) && typeof entry.hash === 'string' && isRecord(entry.event);
    // No hash would cover further members.
    if (!fits || Object.keys(entry).sort().join() !== 'event,hash,number') {
      return `This is no receipt: entry ${at + 1} does not consist of number, event and hash.`;
    }
  }
  return null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function chainProblems(
  { taskId, count, head }: Pick<Receipt, 'taskId' | 'count' | 'head'>,
  entries: Receipt['entries'],
): Promise<string[]> {
  const problems: string[] = [];
  let previous = await sha256(taskId);
  for (const [at, { number, event, hash }] of entries.entries()) {
    const place = `Entry ${at + 1} (${String(event.eventType)})`;
    if (number !== at + 1) problems.push(`${place} bears the number ${number}: entries were dropped, added or moved.`);
    if ((await sha256(`${previous}\n${canonical({ number, event })}`)) !== hash) {
      problems.push(`${place} does not fit its hash: it was changed, or another stood before it.`);
    }
    // Continue with the stated hash, so that one change is reported once.
    previous = hash;
  }
  if (count !== entries.length) problems.push(`${count} entries were signed, and there are ${entries.length}.`);
  if (head !== previous) problems.push('The last entry is not the last that was signed.');
  return problems;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function isSigned(text: string, signature: string, publicKey: string): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', fromBase64(publicKey), 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, fromBase64(signature), bytesOf(text));
  } catch (error) {
    // A wrong key or wrong base64 is no valid signature. A runtime without Ed25519 must not look like a forgery.
    if (error instanceof Error && error.name === 'NotSupportedError') throw error;
    return false;
  }
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));

/** Canonical JSON (RFC 8785): no blanks, keys in the order of their UTF-16 code units. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}
