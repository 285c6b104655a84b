import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { statusOf } from './engine.ts';
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
export async function removeContainer(docker: Docker, id: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await docker.getContainer(id).remove({ force: true, v: true });
    } catch (error) {
      const status = statusOf(error);
      if (status === 404) return;
      // The engine removes it by itself as well when its agent ends, and says so with one of these meanwhile.
      if ((status !== 409 && status !== 500) || tries === REMOVE_TRIES) throw error;
      await sleep(Math.min(5 * tries, 100));
    }
  }
}

export async function isPodman(docker: Docker): Promise<boolean> {
  const { Components = [] } = (await docker.version()) as { Components?: { Name: string }[] };
  return Components.some(({ Name }) => /podman/i.test(Name));
}

/** Docker names the runtime. Podman always says `oci` there, and the real runtime elsewhere. */
export async function hasRuntime(docker: Docker, found: Docker.ContainerInspectInfo, wanted: string): Promise<boolean> {
  const names = [found.HostConfig.Runtime ?? '', await podmanRuntime(docker, found.Id)];
  return names.some((name) => name === wanted || name.endsWith(`/${wanted}`));
}

function podmanRuntime(docker: Docker, id: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { path: `/v4.0.0/libpod/containers/${id}/json`, method: 'GET', statusCodes: { 200: true } };
    docker.modem.dial(options, (error: unknown, answer: unknown) => {
      const { OCIRuntime } = (error ? {} : (answer ?? {})) as { OCIRuntime?: unknown };
      resolve(typeof OCIRuntime === 'string' ? OCIRuntime : '');
    });
  });
}
