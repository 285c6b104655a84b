import type { TaskInput } from '@agora-market/contract';
import { type Dependencies, type DependencyProblem, type Earlier, isGone } from '../../dependencies/index.ts';
import type { Environments } from '../../environments/index.ts';
import type { CreateOptions, SandboxFile } from '../../sandbox/index.ts';

/** With what sandboxes of a task begin: those of its agent, of the gate, and of a dry run of its checks. */
export interface StartingPoint {
  start: Pick<CreateOptions, 'limits' | 'layer' | 'toolchains' | 'image'>;
  /** Packages that the files name and that are not there. */
  problems: DependencyProblem[];
  /** The digest of the layer; where that is gone, of the one that it takes the place of. */
  layer: string | null;
}

interface Asking {
  ownerId: string;
  /** Null where the owner asks itself: an agent could be talked into hiring somebody for packages that it must not see. */
  submitterAgentId: string | null;
  input: Pick<TaskInput, 'environment'>;
  files: readonly SandboxFile[];
  /** Of the task; absent before there is one. */
  createdAt?: string;
  /** What its agent has had, which the gate has too. */
  earlier?: Earlier | null;
}

/** What the input asks for, and what its files name. SANDBOX_UNAVAILABLE where the platform cannot give it now. */
export async function startingPointOf(
  { environments, dependencies }: { environments: Environments; dependencies: Dependencies },
  { ownerId, submitterAgentId, input, files, createdAt, earlier = null }: Asking,
): Promise<StartingPoint> {
  const names = files.map(({ path }) => path);
  const { setup, ...start } = await environments.startOf(input.environment, names, createdAt);
  const { layer, problems } = await dependencies.prepare({
    ownerId,
    isOwners: submitterAgentId === null,
    files,
    start,
    setup,
    earlier,
  });
  const digest = (problems.some(isGone) ? earlier?.layer : layer?.digest) ?? null;
  return { start: { ...start, layer: layer ?? undefined }, problems, layer: digest };
}

/** Distinguishes sandboxes from those of other tasks; null for ordinary ones in which nothing lies. */
export const keyOf = ({ layer, toolchains = [], image, limits }: StartingPoint['start']): string | null => {
  const size = limits && `${limits.memoryBytes} ${limits.cpus} ${limits.diskBytes}`;
  return (
    [layer?.directory, ...toolchains.map(({ directory }) => directory), image, size].filter(Boolean).join('\n') || null
  );
};
