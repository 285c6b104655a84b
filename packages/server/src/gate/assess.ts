import { gate, type JudgeOpinion } from '@agora-market/contract';
import { readAcceptance } from './acceptance.ts';
import type { Advisories } from './advisories/index.ts';
import { changesCode, type Finding } from './criteria.ts';
import { GateUnavailable } from './errors.ts';
import { outputEvidence } from './evidence/output.ts';
import { type Gathered, sandboxEvidence } from './evidence/sandbox-evidence.ts';
import { schemaEvidence } from './evidence/schema.ts';
import { secretsEvidence } from './evidence/secrets.ts';
import { revealing, rowsForSeller } from './held-out.ts';
import { rubricText } from './judge/brief.ts';
import { type LanguageJudge, noJudge } from './judge/index.ts';
import type { Attempts } from './reading/attempts.ts';
import { openReader } from './reading/readers.ts';
import { type Baselines, createBaselines } from './runs/baselines.ts';
import { scored, scoreEvidence, type Verdict } from './score.ts';
import { capsFor, type EvidenceSource, type GateCaps, type Gathering } from './source.ts';

/** Optional settings of the operator beside the rules, and the time limit of the commands. */
export interface GateAdditions {
  judge?: LanguageJudge | null;
  advisories?: Advisories | null;
  /** Runs over untouched files that other gate runs have made. */
  baselines?: Baselines;
  /** Counts readings before they begin, so that none ends the server again and again. */
  attempts?: Attempts;
  caps?: GateCaps;
  /** Decides which defects tests must notice: the same for each run over a delivery, and known to no party. */
  seedOf?: (taskId: string) => string;
}

async function gather(gathering: Gathering): Promise<Gathered> {
  const { source, acceptance, reader } = gathering;
  const { taskType, input, output } = source.task;
  const first = outputEvidence({ taskType, input, output, usedSandbox: source.workspace !== null });
  const findings = [first];
  // An empty output or a refusal fails whatever the workspace holds, so nothing is run over it.
  if (first.score !== null && first.score < gate.passScore) return { findings, files: [] };
  if (acceptance.schema !== null) findings.push(await schemaEvidence(acceptance.schema, output));
  const seen = await sandboxEvidence(gathering);
  const holdsOut = (source.heldOut?.length ?? 0) > 0;
  findings.push(...seen.findings.map((finding) => revealing(finding, acceptance.reveal, holdsOut)));
  if (changesCode(taskType) && !findings.some(({ kind }) => kind === 'secrets')) {
    const secrets = await secretsEvidence({ input, output, reader, workspace: null });
    if (secrets.score === 0) findings.push(secrets);
  }
  return { findings, files: seen.files };
}

/** An exception of the gate's own rules is evidence against the delivery: it would happen at every retry. */
function unexamined(error: unknown): Gathered {
  const name = error instanceof Error ? error.name : 'unknown';
  const evidence = `It could not be examined (${name}).`;
  const finding: Finding = { kind: 'output', name: 'output', score: 0, weight: 1, evidence };
  return { findings: [finding], files: [] };
}

/**
 * Gathers the evidence on one delivery and scores it. If the score is between 50 and 70 and a judge is set up, the
 * judge is asked too. Rejects only with `GateUnavailable`, when the platform could not look. Any input of buyer or
 * agent becomes evidence. If the judge gives no answer, the score of the rules stands.
 */
export async function assess(
  source: EvidenceSource,
  {
    judge = null,
    advisories = null,
    baselines = createBaselines(),
    attempts,
    caps = capsFor(source.task.input),
    seedOf = (taskId) => taskId,
  }: GateAdditions = {},
): Promise<Verdict> {
  const acceptance = readAcceptance(source.task.input);
  const startedMs = performance.now();
  const { originalFiles, heldOut = [] } = source;
  const reader = openReader({ taskId: source.task.id, originalFiles, heldOut }, attempts);
  const gathering: Gathering = {
    source,
    acceptance,
    caps,
    startedMs,
    reader,
    advisories,
    baselines,
    seed: seedOf(source.task.id),
    showsFiles: judge !== null,
  };
  const { findings, files } = await gather(gathering)
    .catch((error: unknown) => {
      if (error instanceof GateUnavailable) throw error;
      return unexamined(error);
    })
    .finally(() => reader.close());
  const { taskType, declaredScore, input, output, ownerId } = source.task;
  const byRules = scored({ taskType, findings, declaredScore: null, judge: null });
  let opinion: JudgeOpinion | null = null;
  const isInBand = byRules.score >= gate.judgeFrom && byRules.score <= gate.judgeTo;
  if (isInBand && judge === null) opinion = noJudge;
  else if (isInBand && judge !== null) {
    const { dispute = null } = source;
    // The judge may repeat what it reads, and both parties read the judge.
    const matter = { taskType, input, output, criteria: rowsForSeller(byRules.criteria), files, dispute };
    opinion = await judge.opinionOn(matter, ownerId);
  }
  const bringsFiles = originalFiles.length > 0 || heldOut.length > 0 || source.originalsMissing != null;
  const bringsRubric = rubricText(input) !== '';
  return scoreEvidence({ taskType, findings, declaredScore, judge: opinion, bringsFiles, bringsRubric });
}
