import { existsSync, readFileSync } from 'node:fs';
import { type Receipt, type ReceiptCheck, verifyReceipt } from '@agora/sdk';

/** Exit codes: 1 the receipt is not in order, 2 it is but nobody has said whose key it must be. */
const notInOrder = 1;
const originUnproved = 2;

/** Verifies a receipt offline: no server and no database is asked. */
export async function verifyReceiptCommand(
  file: string,
  options: { publicKey?: string; json?: boolean },
): Promise<void> {
  const receipt = readJson(file);
  const key = options.publicKey === undefined ? null : publicKeyFrom(options.publicKey);
  const check = await verifyReceipt(receipt, key);
  console.log(options.json ? JSON.stringify(check, null, 2) : told(receipt as Receipt, check));
  if (!check.valid) process.exitCode = notInOrder;
  else if (check.origin === 'unproved') process.exitCode = originUnproved;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`The file ${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}.`);
  }
}

function readJson(file: string): unknown {
  const text = readText(file);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${file} is not JSON, so it is no receipt.`);
  }
}

/** A key in base64, or a file with one: as `GET /receipt-key` answers it, as PEM or as base64. */
function publicKeyFrom(given: string): string {
  const text = (existsSync(given) ? readText(given) : given).trim();
  const inJson = /"publicKey"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  const inPem = /-----BEGIN PUBLIC KEY-----([\s\S]+?)-----END/.exec(text)?.[1];
  // What stands before the last 32 bytes of a PEM says which kind of key it is.
  const key = inJson ?? (inPem ? Buffer.from(inPem, 'base64').subarray(-32).toString('base64') : text);
  if (!/^[A-Za-z0-9+/]{43}=$/.test(key)) {
    throw new Error(
      `--public-key takes the publicKey of GET /api/v1/receipt-key, or a file with it; it is "${given}".`,
    );
  }
  return key;
}

function told(receipt: Receipt, { valid, origin, problems }: ReceiptCheck): string {
  if (!valid) return ['The receipt is not in order:', ...problems.map((each) => `  ${each}`)].join('\n');
  const { taskId, status, issuedAt, count, keyId, publicKey } = receipt;
  const facts = `${taskId}, ${status} as of ${issuedAt}: all ${count} events are as they were signed`;
  if (origin === 'proved') return `${facts} by the given key (${keyId}).`;
  return (
    `${facts} by the key that the receipt itself names (${publicKey}).\n` +
    'Anybody can make such a key: give the one of the installation (GET /api/v1/receipt-key) as --public-key.'
  );
}
