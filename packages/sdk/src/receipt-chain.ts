/** What both formats of receipts have: entries whose hashes cover one another, and the digests and encodings of that. */

export interface Entry {
  number: number;
  event: { eventType: string };
  hash: string;
}

/** What is signed of the entries. */
export interface SignedChain {
  taskId: string;
  count: number;
  head: string;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Why a value is no list of entries; null if it is one. */
export function entriesProblem(entries: unknown): string | null {
  if (!Array.isArray(entries) || entries.length === 0) return 'This is no receipt: it has no entries.';
  for (const [at, entry] of entries.entries()) {
    const fits = isRecord(entry) && typeof entry.hash === 'string' && isRecord(entry.event);
    // Further members would be covered by no hash.
    if (!fits || Object.keys(entry).sort().join() !== 'event,hash,number') {
      return `This is no receipt: entry ${at + 1} does not consist of number, event and hash.`;
    }
  }
  return null;
}

/** What contradicts that these are the entries that were signed. */
export async function chainProblems({ taskId, count, head }: SignedChain, entries: Entry[]): Promise<string[]> {
  const problems: string[] = [];
  let previous = await sha256(taskId);
  for (const [at, { number, event, hash }] of entries.entries()) {
    const place = `Entry ${at + 1} (${String(event.eventType)})`;
    if (number !== at + 1) problems.push(`${place} bears the number ${number}: entries were dropped, added or moved.`);
    if ((await sha256(`${previous}\n${canonical({ number, event })}`)) !== hash) {
      problems.push(`${place} does not fit its hash: it was changed, or another stood before it.`);
    }
    // Goes on from what is stated, so that one change is reported once.
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

/** Whether the owner of a public key (32 bytes in base64 or base64url) signed a text. */
export async function isSigned(text: string, signature: string, publicKey: string): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', fromBase64(publicKey), 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, fromBase64(signature), bytesOf(text));
  } catch (error) {
    // What is no key or no base64 has signed nothing; a runtime without Ed25519 must not look like a forgery.
    if (error instanceof Error && error.name === 'NotSupportedError') throw error;
    return false;
  }
}

/** Of base64 and of base64url. */
export const fromBase64 = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));

/** JSON in the one way that RFC 8785 allows: no blanks, keys in the order of their UTF-16 code units. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}
