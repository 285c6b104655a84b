import { type EvidenceKind, evidenceKinds } from '@agora-market/contract';
import type { Criterion } from './score.ts';

interface PublicRow {
  kind: EvidenceKind;
  score: number | null;
  weight: number;
}

/** Names of checks are the buyer's words. Rows of no kind, as the agent's own estimate, measure nothing. */
const kindOf = ({ name }: Criterion): EvidenceKind | undefined =>
  name.startsWith('check: ') ? 'checks' : evidenceKinds.find((kind) => kind === name);

/** The rows as anybody may read them: a row a kind, without names and evidence. */
export function publicRows(criteria: readonly Criterion[]): PublicRow[] {
  return evidenceKinds.flatMap((kind) => {
    const rows = criteria.filter((row) => kindOf(row) === kind);
    if (rows.length === 0) return [];
    const weight = Math.round(rows.reduce((sum, row) => sum + row.weight, 0) * 100) / 100;
    return [{ kind, score: meanOf(rows.filter((row) => row.score !== null)), weight }];
  });
}

/** By weight; rows that weigh nothing, which can only lower a verdict, count alike. */
function meanOf(rows: readonly Criterion[]): number | null {
  if (rows.length === 0) return null;
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  const shareOf = ({ weight }: Criterion) => (total > 0 ? weight / total : 1 / rows.length);
  return Math.round(rows.reduce((sum, row) => sum + shareOf(row) * (row.score as number), 0));
}
