import { nextTurn } from '../../platform/index.ts';
import { quote, type Sandbox } from '../../sandbox/index.ts';
import { type Advisories, type AdvisoryIndex, type Dependency, isLockfile } from '../advisories/index.ts';
import type { Ecosystem } from '../advisories/versions.ts';
import type { Finding } from '../criteria.ts';
import type { Reader } from '../reading/readers.ts';
import { execOwn, readFile } from '../sandboxes/check-sandbox.ts';
import { label } from './excerpt.ts';

/** A sandbox gives out a file up to about a megabyte; lockfiles can be longer and are then read in pieces. */
const pieceBytes = 512 * 1024;
const maxPieces = 24;
const maxLockfiles = 20;

const finding = (score: number | null, evidence: string): Finding => {
  return { kind: 'advisories', name: 'advisories', score, weight: 1, evidence };
};

async function wholeText(sandbox: Sandbox, path: string): Promise<string | null> {
  const file = await readFile(sandbox, path);
  if (file === null || file.encoding !== 'utf8') return null;
  if (!file.truncated) return file.content;
  if (file.sizeBytes > pieceBytes * maxPieces) return null;
  const pieces: Buffer[] = [];
  for (let at = 0; at < file.sizeBytes; at += pieceBytes) {
    const command = `tail -c +${at + 1} ${quote(`./${path}`)} | head -c ${pieceBytes} | base64 -w0`;
    const piece = await execOwn(sandbox, command, 10_000);
    if (piece.exitCode !== 0 || piece.truncated) return null;
    pieces.push(Buffer.from(piece.stdout, 'base64'));
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Longest stretch of look-ups without a turn of the loop, and the time that all of them together may take. */
const stretchMs = 5;
const lookUpMs = 5_000;
/** More versions of one package than any project pins. */
const maxVersions = 100;

/** The lines that a reader makes of a lockfile. */
function* dependenciesIn(pins: string): Generator<Dependency> {
  for (let at = 0; at < pins.length; ) {
    const found = pins.indexOf('\n', at);
    const end = found < 0 ? pins.length : found;
    const [ecosystem, name, version] = pins.slice(at, end).split('\t');
    at = end + 1;
    if (version !== undefined) yield { ecosystem: ecosystem as Ecosystem, name: name!, version };
  }
}

interface Affecting {
  dependency: Dependency;
  id: string;
  summary: string;
}

interface LookUp {
  /** By package and advisory, with the first of the versions. */
  affecting: Map<string, Affecting>;
  count: number;
  /** Why not all was looked up, or null. */
  problem: string | null;
}

/**
 * Advisories for the pinned versions. The index is large and stays in this thread, so the event loop gets its turns.
 */
async function lookUp(pins: string, index: AdvisoryIndex): Promise<LookUp> {
  const found: LookUp = { affecting: new Map(), count: 0, problem: null };
  const versions = new Map<string, number>();
  const startedMs = performance.now();
  let turnedMs = startedMs;
  for (const dependency of dependenciesIn(pins)) {
    const name = `${dependency.ecosystem}:${dependency.name}`;
    const count = (versions.get(name) ?? 0) + 1;
    versions.set(name, count);
    if (count > maxVersions) return { ...found, problem: `it pins over ${maxVersions} versions of ${dependency.name}` };
    found.count += 1;
    for (const advisory of index.affecting(dependency)) {
      const key = `${name} ${advisory.id}`;
      if (!found.affecting.has(key)) found.affecting.set(key, { dependency, ...advisory });
    }
    if (performance.now() - turnedMs < stretchMs) continue;
    await nextTurn();
    turnedMs = performance.now();
    if (turnedMs - startedMs > lookUpMs) return { ...found, problem: 'to look up what it pins takes too long' };
  }
  return found;
}

interface AdvisoriesSource {
  sandbox: Sandbox;
  changed: readonly string[];
  /** Has the buyer's files. */
  reader: Reader;
  advisories: Advisories | null;
}

/** Whether the delivery pins versions with known vulnerabilities that the buyer's did not have; null: nothing to look at. */
export async function advisoriesEvidence(source: AdvisoriesSource): Promise<Finding | null> {
  const { sandbox, changed, reader, advisories } = source;
  const lockfiles = changed.filter(isLockfile).slice(0, maxLockfiles);
  if (lockfiles.length === 0) return null;
  if (advisories === null) return finding(null, 'Not run: this server has no advisory database.');
  const index = await advisories.index();
  if ('missing' in index) return finding(null, `Not run: ${index.missing}.`);
  const affecting = new Map<string, Affecting>();
  const unread: string[] = [];
  let count = 0;
  for (const path of lockfiles) {
    const text = await wholeText(sandbox, path);
    const pins = text === null ? null : await reader.read('pins', { path, text });
    if (pins === null) {
      unread.push(label(path));
      continue;
    }
    const found = await lookUp(pins, index);
    if (found.problem !== null) return finding(0, `${label(path)} cannot be examined: ${label(found.problem)}.`);
    for (const [key, each] of found.affecting) affecting.set(key, each);
    count += found.count;
  }
  // A vulnerability that the buyer's own dependencies already had is not new.
  const before = await lookUp(affecting.size === 0 ? '' : await reader.read('buyersPins', null), index);
  if (before.problem !== null) return finding(null, "Not run: the buyer's own lockfiles cannot be looked up.");
  const introduced = new Set<string>();
  for (const [key, { dependency, id, summary }] of affecting) {
    if (before.affecting.has(key)) continue;
    introduced.add(label(`${dependency.name} ${dependency.version} (${id}${summary === '' ? '' : `: ${summary}`})`));
  }
  const list = [...introduced];
  const more = list.length > 5 ? ` and ${list.length - 5} more` : '';
  if (list.length > 0) return finding(0, `Introduced: ${list.slice(0, 5).join('; ')}${more}.`);
  if (unread.length > 0) return finding(null, `Not run: ${unread.slice(0, 5).join(', ')} cannot be read.`);
  return finding(100, `None of ${count} pinned versions adds a known vulnerability.`);
}
