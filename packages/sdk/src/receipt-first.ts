import { canonical, chainProblems, type Entry, entriesProblem, isSigned } from './receipt-chain.ts';

/** A receipt as servers up to 0.1.0 made it: the signature stands beside what it covers. */
interface FirstReceipt {
  taskId: string;
  keyId: string;
  publicKey: string;
  count: number;
  head: string;
  entries: Entry[];
  signature: string;
}

/** Why a value is no receipt of the first format; null if it has the shape of one. */
export function firstShapeProblem(value: Record<string, unknown>): string | null {
  if (value.algorithm !== 'Ed25519') return 'This is no receipt with an Ed25519 signature.';
  for (const name of ['taskId', 'keyId', 'publicKey', 'head', 'signature']) {
    if (typeof value[name] !== 'string') return `This is no receipt: ${name} is missing.`;
  }
  return entriesProblem(value.entries);
}

/** Problems of a receipt of the first format. `keyOf` gives the right public key (base64) for a key's id. */
export async function firstProblems(
  receipt: Record<string, unknown>,
  keyOf: ((keyId: string) => string | null) | null,
): Promise<string[]> {
  const { entries, signature, ...statement } = receipt as unknown as FirstReceipt;
  const problems = await chainProblems(statement, entries);
  const key = keyOf === null ? statement.publicKey : keyOf(statement.keyId);
  if (key === null) problems.push(`The given key set has no key ${statement.keyId}.`);
  else if (key !== statement.publicKey) {
    problems.push(`The receipt names the public key ${statement.publicKey}, which is not the given one.`);
  }
  if (key !== null && !(await isSigned(canonical(statement), signature, key))) {
    problems.push('The signature does not fit: what was signed was changed, or another key signed it.');
  }
  return problems;
}
