import { gate, type JudgeOpinion, type Proof, proofs, type Reveal, type TaskType } from '@agora-market/contract';
import { ceilings, type Finding, type Kind, type Outcome, proofCeilings, weights } from './criteria.ts';

/** One row of the assessment as stored. `held-out.ts` decides what of it each party sees. */
export interface Criterion extends Outcome {
  name: string;
  score: number | null;
  weight: number;
  evidence: string;
  proof?: Proof;
  /** The part that the agent may read, if not all; no party sees this field itself. */
  reveal?: Reveal;
}

export interface Verdict {
  score: number;
  passed: boolean;
  /** The buyer where a delivery fails that would pass without what the buyer measures it by. */
  answerable?: 'buyer';
  /** Something proves what the work is worth, or a judge has read it. */
  isMeasured: boolean;
  criteria: Criterion[];
  judge: JudgeOpinion | null;
}

export interface Evidence {
  taskType: TaskType;
  findings: readonly Finding[];
  /** The agent's own estimate, which can only lower the score. */
  declaredScore: number | null;
  judge: JudgeOpinion | null;
  /** Files or a repository are the buyer's, so that their tests, build and linter are too. */
  bringsFiles?: boolean;
  /** The judge reads by a rubric of the buyer. */
  bringsRubric?: boolean;
}

/** A buyer can write these so that no delivery passes. */
const buyersMeasures: readonly Kind[] = ['checks', 'schema'];
const measuresInFiles: readonly Kind[] = ['tests', 'build', 'lint'];

/** A row's weight: its kind's weight, shared among the rows of that kind in the proportions the buyer gave. */
function rowWeight(finding: Finding, taskType: TaskType, findings: readonly Finding[]) {
  let total = 0;
  for (const other of findings) if (other.kind === finding.kind) total += other.weight;
  return Math.round((weights[taskType][finding.kind] * finding.weight * 100) / total) / 100;
}

/** A kind has failed when the weighted mean of its rows is below 50, or at 50: a tie proves no quality. */
function failed(kind: Kind, findings: readonly Finding[]) {
  let sum = 0;
  let total = 0;
  for (const finding of findings) {
    if (finding.kind !== kind || finding.score === null) continue;
    sum += finding.weight * finding.score;
    total += finding.weight;
  }
  return total > 0 && sum <= 50 * total;
}

/** The strongest proof among the rows that pass. Null where none proves anything. */
export function strongestProof(rows: ReadonlyArray<Pick<Criterion, 'score' | 'proof'>>): Proof | null {
  const found = new Set(rows.flatMap(({ score, proof }) => ((score ?? 0) >= gate.passScore && proof) || []));
  return proofs.find((proof) => found.has(proof)) ?? null;
}

/** The score of the rules: the weighted mean of the rows that were run, capped by the ceilings of failed kinds. */
function ruleScore(findings: readonly Finding[], rowWeights: readonly number[]) {
  let sum = 0;
  let total = 0;
  findings.forEach(({ score }, row) => {
    if (score === null) return;
    sum += score * rowWeights[row]!;
    total += rowWeights[row]!;
  });
  let result = total > 0 ? Math.round(sum / total) : gate.neutralScore;
  for (const kind of Object.keys(ceilings) as Kind[]) {
    if (result > ceilings[kind] && failed(kind, findings)) result = ceilings[kind];
  }
  const proof = strongestProof(findings);
  return proof === null ? result : Math.min(result, proofCeilings[proof]);
}

/** Turns evidence into a verdict. Pure: the same evidence always gives the same score. */
export function scoreEvidence(evidence: Evidence): Verdict {
  const { bringsFiles = false, bringsRubric = false, findings } = evidence;
  const verdict = scored(evidence);
  if (verdict.passed) return verdict;
  const own = findings.filter(
    ({ kind }) => !(buyersMeasures.includes(kind) || (bringsFiles && measuresInFiles.includes(kind))),
  );
  const judge = bringsRubric ? null : evidence.judge;
  return scored({ ...evidence, findings: own, judge }).passed ? { ...verdict, answerable: 'buyer' } : verdict;
}

/** The verdict without who answers for it. */
export function scored({ taskType, findings, declaredScore, judge }: Omit<Evidence, 'bringsFiles' | 'bringsRubric'>) {
  const rowWeights = findings.map((finding) => rowWeight(finding, taskType, findings));
  const criteria: Criterion[] = findings.map(({ kind: _, score, ...finding }, row) => {
    return { ...finding, score: score === null ? null : Math.round(score), weight: rowWeights[row]! };
  });
  let score = ruleScore(findings, rowWeights);
  const inBand = score >= gate.judgeFrom && score <= gate.judgeTo;
  if (inBand && judge !== null && judge.score !== null) score = Math.round((score + judge.score) / 2);
  if (declaredScore !== null) {
    const evidence = "The agent's own score; it can only lower the verdict.";
    criteria.push({ name: 'declared', score: declaredScore, weight: 0, evidence });
    score = Math.min(score, declaredScore);
  }
  const isMeasured = judge?.score != null || strongestProof(findings) !== null;
  return { score, passed: score >= gate.passScore, isMeasured, criteria, judge };
}
