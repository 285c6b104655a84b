import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { V1Pod } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fromSources } from '../../../test/support/from-sources.ts';
import { startCluster } from '../../../test/support/kubernetes/cluster.ts';
import { testDriver } from '../../../test/support/kubernetes/driver.ts';
import { refusal, TEST_LIMITS } from '../../../test/support/sandbox/limits.ts';
import { whyRefused } from '../../../test/support/sandbox/refused.ts';
import { findAgents } from '../bwrap/owner.ts';
import type { Sandbox, SandboxDriver } from '../driver.ts';
import { Sandboxes } from '../sandboxes.ts';

/** What a cluster does to sandboxes: each time the end is known, said, and leaves nothing. */

const cluster = await startCluster();
afterAll(() => cluster.stop());

const pods = async (namespace = 'default') =>
  (await cluster.call<{ items: V1Pod[] }>('GET', `/api/v1/namespaces/${namespace}/pods`)).body.items;
const path = (pod: V1Pod) => `/api/v1/namespaces/default/pods/${pod.metadata!.name}`;
const agents = () => findAgents('agora-kubernetes/').map(({ pid }) => pid);
const nothingIsLeft = () => expect.poll(async () => [(await pods()).length, agents().length]).toEqual([0, 0]);

const warned = vi.fn();
beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockImplementation(warned);
  warned.mockClear();
});
afterEach(() => vi.restoreAllMocks());
const said = () => warned.mock.calls.map(([text]) => String(text)).join('\n');

/** With a quota of Pods, once that is in force. */
async function makeNamespace(name: string, most: number): Promise<void> {
  const at = `/api/v1/namespaces/${name}`;
  await cluster.call('POST', '/api/v1/namespaces', { metadata: { name } });
  const quota = { metadata: { name: 'pods' }, spec: { hard: { pods: String(most) } } };
  await cluster.call('POST', `${at}/resourcequotas`, quota);
  const status = () => cluster.call<{ status?: { hard?: object } }>('GET', `${at}/resourcequotas/pods`);
  await expect.poll(async () => (await status()).body.status?.hard).toBeDefined();
  await expect.poll(async () => (await cluster.call('GET', `${at}/serviceaccounts/default`)).status).toBe(200);
}

function withTemplate(spec: string): SandboxDriver {
  const template = join(cluster.directory, 'other.yaml');
  writeFileSync(template, `kind: PodTemplate\ntemplate: {spec: ${spec}}\n`);
  return testDriver(cluster, { template, startMs: 8_000 });
}

describe('a sandbox that does not start', () => {
  afterEach(nothingIsLeft);

  it('says that the quota is used up', async () => {
    await makeNamespace('full', 0);
    expect(await whyRefused(testDriver(cluster, { namespace: 'full' }))).toMatch(
      /exceeded quota: pods.*quota .* used up/,
    );
    expect(await pods('full')).toEqual([]);
  });

  it('says which namespace is missing', async () => {
    expect(await whyRefused(testDriver(cluster, { namespace: 'nowhere' }))).toContain('"nowhere" not found');
  });

  it('names the image that cannot be had', async () => {
    const driver = testDriver(cluster, { image: 'registry.invalid/absent:1' });
    expect(await whyRefused(driver)).toMatch(/registry\.invalid\/absent:1 cannot be had/);
  });

  it('says that no node has room', async () => {
    expect(await whyRefused(withTemplate('{nodeSelector: {pool: none}}'))).toMatch(
      /in 8 s: no node has room .*0\/1 nodes are available/,
    );
  });

  it('says that the runtime class is not there', async () => {
    expect(await whyRefused(withTemplate('{runtimeClassName: gvisor}'))).toContain('gvisor');
  });

  it('says that the runtime lets it have no network of its own, and the cure', async () => {
    const why = await whyRefused(withTemplate('{}'));
    expect(why).toContain('no network but a loopback');
    expect(why).toContain('gVisor');
  });

  it('says what the template sets that no sandbox may have', async () => {
    expect(await withTemplate('{hostNetwork: true}').probe()).toEqual({
      available: false,
      reason: expect.stringContaining('hostNetwork'),
    });
  });
});

describe('a live sandbox', () => {
  const started = async (id: string): Promise<{ box: Sandbox; pod: V1Pod }> => {
    const box = await testDriver(cluster).create(id, TEST_LIMITS);
    const [pod] = await pods();
    return { box, pod: pod! };
  };
  const endsWith = async (box: Sandbox, why: RegExp) => {
    await box.closed;
    expect(await refusal(box.exec({ command: 'true' }))).toBe('SANDBOX_GONE');
    expect(said()).toMatch(why);
    await box.destroy();
    await nothingIsLeft();
  };

  it('says that it will end when its node is drained, gives its work, and tells whoever waits', async () => {
    const { box, pod } = await started('drained');
    await box.write({ path: 'work', content: Buffer.from('the last of it') });
    const announced = new Promise((resolve) => box.ending.addEventListener('abort', resolve));
    const waiting = refusal(box.exec({ command: 'sleep 60' }));
    const eviction = {
      apiVersion: 'policy/v1beta1',
      kind: 'Eviction',
      metadata: { name: pod.metadata!.name, namespace: 'default' },
    };
    expect((await cluster.call('POST', `${path(pod)}/eviction`, eviction)).status).toBe(201);
    await announced;
    expect((await box.exportWorkspace(1024 * 1024)).includes('the last of it')).toBe(true);
    await box.destroy();
    expect(await waiting).toBe('SANDBOX_GONE');
    await endsWith(box, /deleted by somebody else, or its node is being drained/);
  });

  it('ends when its Pod is deleted by force', async () => {
    const { box, pod } = await started('deleted');
    await cluster.call('DELETE', `${path(pod)}?gracePeriodSeconds=0`);
    await endsWith(box, /deleted by somebody else/);
  });

  it('ends when the sandbox agent is killed', async () => {
    const { box } = await started('killed');
    process.kill(agents()[0]!, 'SIGKILL');
    await endsWith(box, /container sandbox ended with exit code 137/);
  });

  it('ends at its lifetime although nobody ends it', async () => {
    const box = await testDriver(cluster, { startMs: 15_000, lifetimeMs: 1_000 }).create('old', TEST_LIMITS);
    await endsWith(box, /end of its lifetime/);
  });

  it('goes on while the API is away, and its Pod is deleted later', async () => {
    const { box } = await started('alone');
    await cluster.end('kube-apiserver');
    expect(await whyRefused(testDriver(cluster))).toMatch(/Kubernetes API at https:.* does not answer/);
    await testDriver(cluster).reclaim();
    expect(said()).toContain('Pods of ended servers may be left');
    expect((await box.exec({ command: 'echo on' })).stdout).toBe('on\n');
    await box.destroy();
    expect(agents()).toEqual([]);
    cluster.begin('kube-apiserver');
    await nothingIsLeft();
  });

  it('ends when its node cannot be reached any more, and does not keep anybody waiting', async () => {
    const { box } = await started('lost');
    const waiting = refusal(box.exec({ command: 'sleep 300', timeoutMs: 8_000 }));
    spawnSync('ip', ['link', 'set', cluster.bridge, 'down']);
    try {
      expect(await waiting).toBe('SANDBOX_GONE');
      await box.closed;
    } finally {
      spawnSync('ip', ['link', 'set', cluster.bridge, 'up']);
    }
    await endsWith(box, /connection broke|door does not answer/);
  });
});

describe('after a server was killed', () => {
  it('its sandbox ends by itself, and the next start deletes the Pod; that of a live server stays', async () => {
    const mine = await testDriver(cluster).create('mine', TEST_LIMITS);
    const script = fileURLToPath(new URL('../../../test/support/kubernetes/crash-victim.ts', import.meta.url));
    const { kubeconfig, image, agentImage, directory } = cluster;
    const args = [...fromSources, script, kubeconfig, image, agentImage, join(directory, 'template.yaml')];
    const victim = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise<void>((resolve, reject) => {
      victim.stdout.on('data', (bytes) => String(bytes).includes('running') && resolve());
      victim.on('exit', () => reject(new Error('the victim ended by itself')));
    });
    expect(agents()).toHaveLength(2);
    victim.kill('SIGKILL');
    await expect.poll(agents).toHaveLength(1);
    expect(await pods()).toHaveLength(2);
    await testDriver(cluster).reclaim();
    await expect.poll(async () => (await pods()).length).toBe(1);
    expect((await mine.exec({ command: 'echo alive' })).stdout).toBe('alive\n');
    await mine.destroy();
    await nothingIsLeft();
  });
});

it('starts in a few seconds', async () => {
  const took: number[] = [];
  for (let n = 0; n < 5; n++) {
    const began = performance.now();
    const box = await testDriver(cluster).create('measured', TEST_LIMITS);
    took.push(Math.round(performance.now() - began));
    await box.destroy();
  }
  console.log(`a sandbox starts in ${took.sort((a, b) => a - b).join(', ')} ms`);
  expect(took[2]).toBeLessThan(20_000);
});

describe('sandboxes that stand ready', () => {
  const make = (driver: SandboxDriver, wanted: number) =>
    new Sandboxes({
      driver,
      clock: { now: () => new Date() },
      limits: TEST_LIMITS,
      lifetimeMs: 600_000,
      warm: { kubernetes: wanted },
    });

  it('are Pods: one is handed out, one that is evicted is not, and none is left', async () => {
    await nothingIsLeft();
    const sandboxes = make(testDriver(cluster), 1);
    await sandboxes.fill();
    const [first, ...others] = await pods();
    expect(others).toEqual([]);
    const { sandbox } = await sandboxes.create('task');
    expect(sandbox.id).toBe('warm-1');
    expect(await sandbox.exec({ command: 'echo here' })).toMatchObject({ stdout: 'here\n' });
    await expect.poll(() => sandboxes.fill().then(() => sandboxes.hasReady({}))).toBe(true);
    const second = (await pods()).find(({ metadata }) => metadata!.name !== first!.metadata!.name)!;
    const eviction = { metadata: second.metadata, apiVersion: 'policy/v1beta1', kind: 'Eviction' };
    expect((await cluster.call('POST', `${path(second)}/eviction`, eviction)).status).toBe(201);
    await expect.poll(said).toContain('Sandbox warm-2 has ended');
    expect((await sandboxes.create('next')).sandbox.id).not.toBe('warm-2');
    await sandboxes.destroyAll();
    await nothingIsLeft();
  });

  it('are no more than the quota allows, and are not asked for again at once', async () => {
    await makeNamespace('narrow', 1);
    const driver = testDriver(cluster, { namespace: 'narrow' });
    const create = vi.spyOn(driver, 'create');
    const sandboxes = make(driver, 3);
    await sandboxes.fill();
    await sandboxes.fill();
    expect(await pods('narrow')).toHaveLength(1);
    expect(create).toHaveBeenCalledTimes(2);
    await sandboxes.destroyAll();
    await expect.poll(async () => (await pods('narrow')).length).toBe(0);
  });
});
