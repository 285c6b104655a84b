import { existsSync, readFileSync } from 'node:fs';
import { type KeySet, type ReceiptCheck, verifyReceipt } from '@agora-market/sdk';
import { connectionOf } from '../connection.ts';
import { exitCodes, UsageError } from '../failure.ts';
import type { JsonOption } from '../options.ts';
import { print, shellWord } from '../print.ts';

/** Verifies a receipt offline: no server and no database is asked. */
export async function verifyReceiptCommand(file: string, options: JsonOption & { publicKey?: string }): Promise<void> {
  const receipt = readJson(file);
  const keys = options.publicKey === undefined ? null : keysFrom(options.publicKey);
  const check = await verifyReceipt(receipt, keys);
  print(options, check, () => said(check, file));
  if (!check.valid) process.exitCode = exitCodes.failed;
  // It is in order, but nobody has said whose key it must be.
  else if (check.origin === 'unproved') process.exitCode = exitCodes.usage;
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

/** A key in base64, or a file: with a JWK set, with the reply of `GET /receipt-key`, with PEM or base64. */
function keysFrom(given: string): KeySet | string {
  const text = (existsSync(given) ? readText(given) : given).trim();
  if (/"keys"\s*:/.test(text)) return JSON.parse(text) as KeySet;
  const inJson = /"publicKey"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  const inPem = /-----BEGIN PUBLIC KEY-----([\s\S]+?)-----END/.exec(text)?.[1];
  // The bytes before the last 32 of a PEM say which kind of key it is.
  const key = inJson ?? (inPem ? Buffer.from(inPem, 'base64').subarray(-32).toString('base64') : text);
  if (!/^[A-Za-z0-9+/]{43}=$/.test(key)) {
    throw new UsageError(
      `--public-key takes a file with the reply of GET /.well-known/jwks.json, or the publicKey of GET /api/v1/receipt-key; it is "${given}".`,
    );
  }
  return key;
}

/** The server that the caller uses; a mistake in that setting must not hide the verdict. */
function installation(): string {
  try {
    return connectionOf().url;
  } catch {
    return 'https://<the installation>';
  }
}

function said({ valid, origin, problems, told, statement }: ReceiptCheck, file: string): string {
  if (!valid || told === null)
    return ['The receipt is not in order:', ...problems.map((each) => `  ${each}`)].join('\n');
  const { taskId, status, issuedAt, events, keyId } = told;
  const facts = `${taskId}, ${status} as of ${issuedAt}: all ${events} events are as they were signed`;
  const assessed = statement?.predicate.assessment;
  const verdict = assessed ? `\nThe gate gave ${assessed.score} of 100 by ${assessed.checks.length} checks.` : '';
  const delivered = (statement?.subject ?? [])
    .map(({ name, digest }) => `\n  sha256 ${digest.sha256}  ${name}`)
    .join('');
  if (origin === 'proved') return `${facts} by the given key (${keyId}).${verdict}${delivered}`;
  // The receipt names an address as well, but whoever made it chose that.
  const url = installation();
  return [
    `${facts} by a key that it calls ${keyId}.${verdict}${delivered}`,
    'Anybody can make such a receipt. Get the keys of the installation, and verify again with them:',
    `  curl -s ${shellWord(`${url}/.well-known/jwks.json`)} > jwks.json`,
    `  agora verify-receipt ${shellWord(file)} --public-key jwks.json`,
  ].join('\n');
}
