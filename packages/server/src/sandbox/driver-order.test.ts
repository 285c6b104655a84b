import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TEST_LIMITS } from '../../test/support/sandbox/limits.ts';
import type { Sandbox, SandboxDriver } from './driver.ts';
import { FirstThatRuns } from './driver-order.ts';
import { createSandboxDriver } from './index.ts';

/** Drivers of nothing, since this is about which one is asked. */
function driver(name: SandboxDriver['name'], runs: () => boolean) {
  const reclaimed = vi.fn(async () => {});
  const made: SandboxDriver = {
    name,
    probe: async () =>
      runs()
        ? { available: true, enforcement: { limits: 'enforced', notes: [] }, node: null }
        : { available: false, reason: `no ${name}.` },
    create: async (id) => ({ id: `${name}:${id}` }) as Sandbox,
    reclaim: reclaimed,
  };
  return { made, reclaimed };
}

describe('of several drivers', () => {
  const warned = vi.fn();
  beforeEach(() => {
    vi.spyOn(process, 'emitWarning').mockImplementation(warned);
    warned.mockClear();
  });
  afterEach(() => vi.restoreAllMocks());

  it('the first that runs serves, and nothing is said', async () => {
    const both = new FirstThatRuns([driver('bwrap', () => true).made, driver('docker', () => true).made]);
    expect((await both.create('a', TEST_LIMITS)).id).toBe('bwrap:a');
    expect(both.name).toBe('bwrap');
    expect(warned).not.toHaveBeenCalled();
  });

  it('the next serves where the first does not run, which is said once, and it stays', async () => {
    let runs = false;
    const both = new FirstThatRuns([driver('bwrap', () => runs).made, driver('docker', () => true).made]);
    expect(await both.probe()).toMatchObject({ available: true });
    runs = true;
    expect((await both.create('a', TEST_LIMITS)).id).toBe('docker:a');
    expect(both.name).toBe('docker');
    expect(warned.mock.calls).toEqual([['Sandboxes are run by docker. bwrap: no bwrap.']]);
  });

  it('none serves where none runs, with every reason, until one is cured', async () => {
    let runs = false;
    const both = new FirstThatRuns([driver('bwrap', () => false).made, driver('docker', () => runs).made]);
    const reasons = 'bwrap: no bwrap. docker: no docker.';
    expect(await both.probe()).toEqual({ available: false, reason: reasons });
    await expect(both.create('a', TEST_LIMITS)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
      message: reasons,
    });
    runs = true;
    expect((await both.create('a', TEST_LIMITS)).id).toBe('docker:a');
  });

  it('what crashed servers left is taken away from all', async () => {
    const [one, two] = [driver('bwrap', () => true), driver('docker', () => true)];
    await new FirstThatRuns([one.made, two.made]).reclaim();
    expect([one.reclaimed, two.reclaimed].map((each) => each.mock.calls.length)).toEqual([1, 1]);
  });
});

it('an engine is turned to when it is asked for, or names an image and bubblewrap cannot run', async () => {
  const named = (driver: 'auto' | 'bwrap' | 'docker', image?: string) =>
    createSandboxDriver({
      installationId: 'order',
      bwrapPath: '/nonexistent',
      driver,
      docker: { image, host: 'unix:///none' },
    });
  expect((await named('auto').probe()) as object).toEqual({
    available: false,
    reason: expect.not.stringContaining('engine'),
  });
  expect(await named('bwrap', 'x').probe()).toEqual({
    available: false,
    reason: expect.not.stringContaining('engine'),
  });
  expect(await named('auto', 'x').probe()).toEqual({
    available: false,
    reason: expect.stringMatching(/^bwrap: bubblewrap is not installed.* docker: No container engine answers/),
  });
  expect(await named('docker').probe()).toEqual({
    available: false,
    reason: expect.stringContaining('SANDBOX_DOCKER_IMAGE'),
  });
});
