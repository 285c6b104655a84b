import { assess, createBaselines } from '@agora-market/server/gate';
import { type Case, deserves } from './cases.ts';
import { archiveOf, filesOf, linksOf } from './tree.ts';

/** What the gate said of a case. */
export interface Judged {
  project: string;
  ecosystem: string;
  origin: string;
  hasPackages: boolean;
  group: Case['group'];
  kind: string;
  way: Case['way'];
  /** Whether it deserves to be paid, and whether it would be. */
  deserved: boolean;
  paid: boolean;
  score: number;
  proof: string | null;
  /** Of the row that decided. */
  evidence: string;
  ms: number;
}

/** Its runs over untouched files serve all cases of a project. */
const baselines = createBaselines();

export async function judged(each: Case): Promise<Judged> {
  const { place, project, way, input, delivered, description, heldOut, group, kind } = each;
  const acceptance =
    way === 'tests' ? undefined : { checks: [{ name: 'it', command: heldOut?.command ?? project.command, weight: 1 }] };
  const archive = await archiveOf(delivered);
  const started = performance.now();
  const verdict = await assess(
    {
      task: {
        id: 'tsk_verdict',
        ownerId: 'own_verdict',
        // Only the project's own tests are looked at for a repair without checks, and only the check elsewhere.
        taskType: way === 'tests' ? 'bug_fix' : 'general',
        input: { description, ...(acceptance !== undefined && { acceptance }) },
        output: { result: `I looked into it as described and changed ${project.work[0]}.` },
        declaredScore: null,
      },
      workspace: { export: async () => archive },
      openSandbox: place.open,
      packages: place.packages,
      originalFiles: filesOf(input),
      originalLinks: linksOf(input),
      originalArchive: await archiveOf(input),
      heldOut: Object.entries(heldOut?.files ?? {}).map(([path, text]) => ({ path, content: Buffer.from(text) })),
    },
    { baselines },
  );
  const row = verdict.criteria.find(({ name }) => name === (way === 'tests' ? 'tests' : 'check: it'));
  return {
    project: project.name,
    ecosystem: project.ecosystem,
    origin: project.origin,
    hasPackages: place.packages.installation !== null,
    group,
    kind,
    way,
    deserved: deserves(each),
    paid: verdict.passed,
    score: verdict.score,
    proof: row?.proof ?? null,
    evidence: row?.evidence ?? '',
    ms: Math.round(performance.now() - started),
  };
}
