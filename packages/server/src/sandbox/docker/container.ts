import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, type InspectedContainer, statusOf } from './engine.ts';
import type { ContainerPlan } from './spec.ts';

/** A container as the engine has it, from its making to its end. */

export interface Created {
  id: string;
  plan: ContainerPlan;
  /** Called when nothing of it is left. */
  release: () => void;
}

const REMOVE_TRIES = 200;

/** Recognised by the words that Docker and Podman share: one answers 409, the other 500. */
export const isNameTaken = (error: unknown): boolean =>
  statusOf(error) !== undefined && /name .* is already in use/.test(String((error as Error).message));

/** Ends it in any state; resolves when the engine no longer knows it. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await engine.removeContainer(id);
    } catch (error) {
      const status = statusOf(error);
      if (status === 404) return;
      // The engine removes it by itself as well when its agent ends, and says so with one of these meanwhile.
      if ((status !== 409 && status !== 500) || tries === REMOVE_TRIES) throw error;
      await sleep(Math.min(5 * tries, 100));
    }
  }
}

export async function isPodman(engine: Engine): Promise<boolean> {
  const { Components } = await engine.version();
  return (Components ?? []).some(({ Name }) => /podman/i.test(Name));
}

/** Docker names the runtime. Podman always says `oci` there, and the real runtime elsewhere. */
export async function hasRuntime(engine: Engine, found: InspectedContainer, wanted: string): Promise<boolean> {
  const names = [found.HostConfig.Runtime ?? '', await podmanRuntime(engine, found.Id)];
  return names.some((name) => name === wanted || name.endsWith(`/${wanted}`));
}

async function podmanRuntime(engine: Engine, id: string): Promise<string> {
  const { OCIRuntime } = await engine.inspectByPodman(id).catch((): { OCIRuntime?: unknown } => ({}));
  return typeof OCIRuntime === 'string' ? OCIRuntime : '';
}
