import type { JudgeOpinion, Reveal } from '@agora-market/contract';
import type { SandboxFile } from '../sandbox/index.ts';
import type { Finding } from './criteria.ts';
import { quoting, unquoted } from './evidence/excerpt.ts';
import { normal } from './restore/restored-files.ts';
import type { Criterion } from './score.ts';

/** Files of the buyer that the agent never sees, and what the agent may read of checks that use them. */

/** All files of the buyer: held-out files replace others of the same path. */
export function withHeldOut(
  originalFiles: readonly SandboxFile[],
  heldOut: readonly SandboxFile[],
): readonly SandboxFile[] {
  if (heldOut.length === 0) return originalFiles;
  const paths = new Set(heldOut.map(({ path }) => normal(path)));
  return [...originalFiles.filter(({ path }) => !paths.has(normal(path))), ...heldOut];
}

/** Adds to a row what the agent may read of it. Only checks and tests run with held-out files. */
export function revealing(finding: Finding, reveal: Reveal, holdsOut: boolean): Finding {
  const isMeasure = finding.kind === 'checks' || (finding.kind === 'tests' && holdsOut);
  return isMeasure && reveal !== 'output' ? { ...finding, reveal } : finding;
}

/** The rows as the agent that was judged, its owner and a judge may read them. */
export function rowsForSeller(criteria: readonly Criterion[]): Criterion[] {
  let checks = 0;
  return criteria.map(({ reveal, ...given }) => {
    const { tests, ...others } = given;
    // Tests that are held out have names that tell of them.
    const row = reveal === undefined || reveal === 'output' ? given : others;
    const isCheck = row.name.startsWith('check: ');
    if (isCheck) checks += 1;
    if (reveal === 'none') {
      const { score, weight } = row;
      const name = isCheck ? `check ${checks}` : row.name;
      return { name, score, weight, evidence: 'Only the buyer reads this evidence.' };
    }
    if (reveal !== 'names' || !isQuoting(row)) return row;
    return { ...row, evidence: `${unquoted(row.evidence)} Only the buyer reads what it printed.` };
  });
}

const isQuoting = ({ evidence }: Criterion) => evidence.includes(quoting);

/** The rows of work that the buyer has not paid: without what commands printed, which may be the work itself. */
export const rowsWithoutWork = (criteria: readonly Criterion[]): Criterion[] =>
  rowsForBuyer(criteria).map((row) =>
    isQuoting(row) ? { ...row, evidence: `${unquoted(row.evidence)} What it printed is withheld.` } : row,
  );

/** A judge may repeat the work in its reasons. */
export const withoutReasons = (judge: JudgeOpinion | null): JudgeOpinion | null =>
  judge && { ...judge, reasons: 'Withheld, because the work was not paid for.' };

/** The rows in full. */
export const rowsForBuyer = (criteria: readonly Criterion[]): Criterion[] =>
  criteria.map(({ reveal: _, ...row }) => row);
