import { gate, type Proof, proofs } from '@agora-market/contract';
import type { Assessment } from '@agora-market/sdk';
import { criterionWords } from './criterion-words.ts';

export type Criterion = Assessment['criteria'][number];

export type Verdict = 'failed' | 'passed' | 'not run';

export const verdictOf = ({ score }: Pick<Criterion, 'score'>): Verdict =>
  score === null ? 'not run' : score >= gate.passScore ? 'passed' : 'failed';

/** Before it stand the gate's own words, after it what a program printed last. */
const quoting = ' Output ends:\n';

/** Evidence as the gate's words and as what was printed, which may be a trace of a stack; null where nothing was. */
export function partsOf(evidence: string): { said: string; printed: string | null } {
  const at = evidence.indexOf(quoting);
  if (at < 0) return { said: evidence, printed: null };
  return { said: evidence.slice(0, at), printed: evidence.slice(at + quoting.length) };
}

/** A criterion with its evidence in parts. What one before it printed as well is not shown again. */
export interface Read extends Omit<Criterion, 'evidence'> {
  verdict: Verdict;
  said: string;
  printed: string | null;
  /** In words, the criterion that printed the same. */
  printedAs: string | null;
}

const rank: Record<Verdict, number> = { failed: 0, passed: 1, 'not run': 2 };

/** Those that failed first, then by what they weigh; all others as the gate has them. */
export function readingOrder(criteria: readonly Criterion[]): Read[] {
  const printedBy = new Map<string, string>();
  return criteria
    .toSorted((one, other) => {
      const [mine, theirs] = [verdictOf(one), verdictOf(other)];
      return rank[mine] - rank[theirs] || (mine === 'failed' ? other.weight - one.weight : 0);
    })
    .map(({ evidence, ...criterion }) => {
      const { said, printed } = partsOf(evidence);
      const first = printed === null ? undefined : printedBy.get(printed);
      const name = criterionWords(criterion.name);
      if (printed && first === undefined) printedBy.set(printed, name);
      return {
        ...criterion,
        verdict: verdictOf(criterion),
        said,
        printed: first === undefined ? printed : null,
        printedAs: first ?? null,
      };
    });
}

/** So much of the gate's words on one criterion goes into the sentence. */
const saidAtMost = 240;

/** Why the work did not pass, in one sentence; null where it did. */
export function whyFailed({ passed, criteria, judge, score }: Assessment): string | null {
  if (passed) return null;
  const failed = readingOrder(criteria).filter(({ verdict }) => verdict === 'failed');
  const [first] = failed;
  if (first) {
    const said = first.said.split('\n', 1)[0]!.trim();
    const why = said.length > saidAtMost ? `${said.slice(0, saidAtMost)}…` : said;
    const more = failed.length > 1 ? ` ${failed.length - 1} more did not pass.` : '';
    return `${criterionWords(first.name)}: ${why || 'it failed.'}${more}`;
  }
  if (judge?.status === 'judged') return `No measure failed, but the judge gives ${judge.score} of 100.`;
  return `No measure failed, but together they make ${score} of the ${gate.passScore} that it takes.`;
}

/** How strong a proof is among all kinds: 4 of 4 is the strongest. */
export const strengthOf = (proof: Proof): { rank: number; of: number } => ({
  rank: proofs.length - proofs.indexOf(proof),
  of: proofs.length,
});
