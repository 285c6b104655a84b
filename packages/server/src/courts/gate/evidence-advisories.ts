import { posix } from 'node:path';
import type { Sandbox, SandboxFile } from '../../sandbox/index.ts';
import {
  type Advisories,
  type AdvisoryIndex,
  type Dependency,
  dependenciesOf,
  isLockfile,
} from './advisories/index.ts';
import type { Finding } from './criteria.ts';
import { label } from './excerpt.ts';
import { execIn, readFile } from './stage.ts';

/** A sandbox gives out a file up to about a megabyte; lockfiles can be longer and are then read in pieces. */
const pieceBytes = 512 * 1024;
const maxPieces = 24;
const maxLockfiles = 20;

const finding = (score: number | null, evidence: string): Finding => {
  return { kind: 'advisories', name: 'advisories', score, weight: 1, evidence };
};

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

async function wholeText(sandbox: Sandbox, path: string): Promise<string | null> {
  const file = await readFile(sandbox, path);
  if (file === null || file.encoding !== 'utf8') return null;
  if (!file.truncated) return file.content;
  if (file.sizeBytes > pieceBytes * maxPieces) return null;
  const pieces: Buffer[] = [];
  for (let at = 0; at < file.sizeBytes; at += pieceBytes) {
    const command = `tail -c +${at + 1} ${quote(`./${path}`)} | head -c ${pieceBytes} | base64 -w0`;
    const piece = await execIn(sandbox, command, 10_000);
    if (piece.exitCode !== 0 || piece.truncated) return null;
    pieces.push(Buffer.from(piece.stdout, 'base64'));
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** What affected the buyer's own dependencies before, by package; the same again introduces nothing. */
function knownBefore(originalFiles: readonly SandboxFile[], index: AdvisoryIndex): Set<string> {
  const known = new Set<string>();
  for (const file of originalFiles) {
    const path = posix.normalize(file.path);
    if (!isLockfile(path)) continue;
    for (const dependency of dependenciesOf(path, file.content.toString('utf8')) ?? []) {
      for (const { id } of index.affecting(dependency)) known.add(`${dependency.ecosystem}:${dependency.name} ${id}`);
    }
  }
  return known;
}

interface AdvisoriesSource {
  sandbox: Sandbox;
  changed: readonly string[];
  originalFiles: readonly SandboxFile[];
  advisories: Advisories | null;
}

/** Whether the delivery pins versions with known vulnerabilities that the buyer's did not have; null: nothing to look at. */
export async function advisoriesEvidence(source: AdvisoriesSource): Promise<Finding | null> {
  const { sandbox, changed, originalFiles, advisories } = source;
  const lockfiles = changed.filter(isLockfile).slice(0, maxLockfiles);
  if (lockfiles.length === 0) return null;
  if (advisories === null) return finding(null, 'Not run: this server has no advisory database.');
  const index = await advisories.index();
  if ('missing' in index) return finding(null, `Not run: ${index.missing}.`);
  const pinned: Dependency[] = [];
  const unread: string[] = [];
  for (const path of lockfiles) {
    const text = await wholeText(sandbox, path);
    const found = text === null ? null : dependenciesOf(path, text);
    if (found === null) unread.push(label(path));
    else pinned.push(...found);
  }
  const known = knownBefore(originalFiles, index);
  const introduced = new Set<string>();
  for (const dependency of pinned) {
    const { ecosystem, name, version } = dependency;
    for (const { id, summary } of index.affecting(dependency)) {
      if (known.has(`${ecosystem}:${name} ${id}`)) continue;
      introduced.add(label(`${name} ${version} (${id}${summary === '' ? '' : `: ${summary}`})`));
    }
  }
  const list = [...introduced];
  const more = list.length > 5 ? ` and ${list.length - 5} more` : '';
  if (list.length > 0) return finding(0, `Introduced: ${list.slice(0, 5).join('; ')}${more}.`);
  if (unread.length > 0) return finding(null, `Not run: ${unread.slice(0, 5).join(', ')} cannot be read.`);
  return finding(100, `None of ${pinned.length} pinned versions adds a known vulnerability.`);
}
