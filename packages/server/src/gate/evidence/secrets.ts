import { posix } from 'node:path';
import type { TaskInput } from '@agora-market/contract';
import { quote, type Sandbox } from '../../sandbox/index.ts';
import type { Finding } from '../criteria.ts';
import { Unreadable } from '../errors.ts';
import type { Reader } from '../reading/readers.ts';
import { namedIn } from '../restore/restored-files.ts';
import { execOwn, readFile } from '../sandboxes/check-sandbox.ts';
import { label } from './excerpt.ts';
import { type FoundSecret, findSecrets, privateKey, secretPrefixes } from './secret-patterns.ts';

/** Enough for any honest change; a delivery with more candidates than that is named after the first ones. */
const maxFiles = 200;

/** All strings of a JSON value, walked without recursion. */
function* strings(start: unknown): Generator<string> {
  const pending: unknown[] = [start];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') yield value;
    else if (value !== null && typeof value === 'object') for (const part of Object.values(value)) pending.push(part);
  }
}

/** Those of the tokens that the buyer handed over; finding them again introduces nothing. */
async function knownTokens(input: unknown, tokens: string[], reader: Reader) {
  const known = new Set(await reader.read('knownSecrets', tokens));
  for (const text of strings(input)) for (const { token } of findSecrets(text)) known.add(token);
  return known;
}

/** Files in which a token may stand, found cheaply; null if they could not be searched. */
export async function filesWithPrefixes(sandbox: Sandbox): Promise<string[] | null> {
  const layered = sandbox.layered.map((path) => `--exclude-dir=${quote(posix.basename(path))} `).join('');
  const command = `grep -rIlZE ${layered}--exclude-dir=node_modules --exclude-dir=.git --exclude-dir=.agora -e '${secretPrefixes}' .`;
  const listed = await execOwn(sandbox, command, 30_000, { env: { LC_ALL: 'C' } });
  // 0: matches, 1: none, 2: some file could not be read; anything else is no answer.
  if (listed.exitCode > 2 || listed.timedOut) return null;
  return listed.stdout
    .split('\0')
    .slice(0, -1)
    .map((path) => path.replace(/^\.\//, ''));
}

/** The part of a long file that the sandbox gives out, and files in other encodings, are searched as well. */
async function textOf(sandbox: Sandbox, path: string) {
  const file = await readFile(sandbox, path);
  if (file === null) return '';
  return file.encoding === 'utf8' ? file.content : Buffer.from(file.content, 'base64').toString('latin1');
}

const finding = (score: number | null, evidence: string): Finding => {
  return { kind: 'secrets', name: 'secrets', score, weight: 1, evidence };
};

interface SecretsSource {
  input: TaskInput;
  output: Record<string, unknown> | null;
  /** Has the buyer's files. */
  reader: Reader;
  /** The delivered workspace and the files that differ from the buyer's; null if there is none. */
  workspace: { sandbox: Sandbox; changed: readonly string[]; suspects: readonly string[] | null } | null;
}

/** Whether the delivery brings in tokens that the buyer's inputs did not hold. The tokens are never quoted. */
export async function secretsEvidence(source: SecretsSource): Promise<Finding> {
  try {
    return await introduced(source);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return finding(null, `Not run: ${error.message}.`);
  }
}

interface Found extends FoundSecret {
  where: string;
  /** Of a file. */
  path: string | null;
}

/** A key in such a place was made for tests; whoever leaks a live one does not put it there. */
const forTests = /(?:^|\/)(?:tests?|__tests__|fixtures?|testdata|examples?|samples?|mocks?)\//i;

async function introduced({ input, output, reader, workspace }: SecretsSource): Promise<Finding> {
  const found: Found[] = [];
  for (const text of strings(output))
    for (const secret of findSecrets(text)) found.push({ ...secret, where: 'the output', path: null });
  if (workspace !== null) {
    const { suspects } = workspace;
    if (suspects === null) return finding(null, 'Not run: the files could not be searched.');
    const inChange = new Set(workspace.changed);
    const paths = suspects.filter((path) => inChange.has(path)).sort();
    for (const path of paths.slice(0, maxFiles)) {
      const text = await textOf(workspace.sandbox, path);
      for (const secret of await reader.read('secrets', text)) found.push({ ...secret, where: label(path), path });
    }
  }
  const tokens = found.map(({ token }) => token);
  const known = tokens.length > 0 ? await knownTokens(input, tokens, reader) : new Set<string>();
  const { description } = input;
  const isOrdered = namedIn(typeof description === 'string' ? description : '');
  const isWanted = ({ what, path }: Found) =>
    path !== null && (isOrdered(path) || (what === privateKey && forTests.test(path)));
  const fresh = found.filter((each) => !known.has(each.token) && !isWanted(each));
  if (fresh.length === 0) return finding(100, 'No well-known kind of token was introduced.');
  const places = [...new Set(fresh.map(({ what, where }) => `${what} in ${where}`))];
  const more = places.length > 5 ? ` and ${places.length - 5} more` : '';
  return finding(0, `Introduced: ${places.slice(0, 5).join(', ')}${more}.`);
}
