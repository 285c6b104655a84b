import type { Finding } from '../criteria.ts';
import { type CheckSandbox, untouched } from '../sandboxes/check-sandbox.ts';
import { commandName, type ProjectRun, runProject } from './project-run.ts';
import { describe, outcomeOf, succeeded } from './ran.ts';

interface RegressionSource extends ProjectRun {
  kind: 'build' | 'lint';
  /** The delivered workspace. */
  setup: CheckSandbox;
}

/**
 * Runs the build or the linter that the buyer's project declares. Succeeding proves nothing about the work; failing
 * counts where the same command succeeds over the buyer's untouched files, and only then is it run over these.
 */
export async function regressionEvidence(source: RegressionSource): Promise<Finding> {
  const { kind, setup, command } = source;
  const finding = (score: number | null, evidence: string): Finding => ({
    kind,
    name: kind,
    score,
    weight: 1,
    evidence,
  });
  const name = commandName(command);
  if (source.remaining() <= 0) return finding(null, `Not run: no time was left for ${name}.`);
  const ran = await runProject(setup, source, 0.4);
  if ('lacking' in ran) return finding(null, `Not run: ${ran.lacking} is not in the sandbox.`);
  if (succeeded(ran)) return finding(100, `${name} succeeds.`);
  const before = await runProject(untouched(setup), source, 0.6);
  const told = 'result' in ran ? describe(ran.result, ran.capMs) : 'broken' in ran ? ran.broken : '';
  if (succeeded(before)) {
    return { ...finding(0, `${name} succeeded before and fails now. ${told}`), ...outcomeOf(ran) };
  }
  return finding(null, `${name} failed before the work already; not held against it. ${told}`);
}
