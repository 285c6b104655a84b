import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1Container, V1Pod, V1PodStatus } from '@kubernetes/client-node';
import { afterAll, describe, expect, it } from 'vitest';
import { TEST_LIMITS } from '../../../test/support/sandbox/limits.ts';
import { readConfig } from '../../platform/index.ts';
import { driverSettings, POD_RESERVE_MS } from '../configured.ts';
import { engineLimits } from '../docker/spec.ts';
import { WARM_AGE_MS } from '../warm-pool.ts';
import { changedByCluster } from './check.ts';
import { fateOf, stillRuns } from './ends.ts';
import { type PodPlan, podSpec } from './spec.ts';
import { NO_TEMPLATE, readTemplate } from './template.ts';

/** What needs no cluster. */

const plan: PodPlan = {
  name: 'agora-1',
  namespace: 'sandboxes',
  image: 'operator:1',
  doorImage: 'agora:1',
  limits: TEST_LIMITS,
  key: Buffer.alloc(32, 7),
  uid: 123_456,
  labels: { 'agora.installation': 'x' },
  server: 'boot/ns/1-1',
  startMs: 60_000,
  lifetimeMs: 3_600_000,
  template: NO_TEMPLATE,
};
const directory = mkdtempSync(join(tmpdir(), 'agora-template-'));
afterAll(() => rmSync(directory, { recursive: true }));

function template(text: string) {
  const file = join(directory, 'template.yaml');
  writeFileSync(file, text);
  return readTemplate(file);
}
const podOf = (spec: string) => template(`kind: PodTemplate\ntemplate:\n  spec: ${spec}\n`);

describe('the Pod that is asked for', () => {
  const { metadata, spec } = podSpec(plan);
  const containers = [...spec!.initContainers!, ...spec!.containers];

  it('gives nobody in it anything of the cluster or the node', () => {
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Never',
      activeDeadlineSeconds: 3_660,
      hostname: 'sandbox',
      dnsPolicy: 'None',
    });
    for (const name of ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace'])
      expect(spec).not.toHaveProperty(name);
    expect(spec!.volumes!.every(({ emptyDir }) => emptyDir?.sizeLimit)).toBe(true);
    expect(metadata!.labels).toEqual(plan.labels);
  });

  it.each(containers.map((each) => [each.name, each] as const))('confines the container %s', (_name, container) => {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      privileged: false,
      readOnlyRootFilesystem: true,
      runAsGroup: container.securityContext!.runAsUser,
      runAsNonRoot: true,
      runAsUser: expect.any(Number),
    });
    expect(Object.keys(container.resources!.limits!)).toEqual(['cpu', 'memory']);
  });

  it('lets the sandbox write to its disks alone, and keeps the key and the inputs from it', () => {
    const sandbox = spec!.containers.find(({ name }) => name === 'sandbox')!;
    const writable = sandbox.volumeMounts!.filter((mount) => !mount.readOnly).map((mount) => mount.mountPath);
    expect(writable).toEqual(['/workspace', '/tmp', '/var/tmp', '/dev/shm']);
    expect(sandbox.env).toBeUndefined();
    expect(JSON.stringify(sandbox)).not.toContain(plan.key.toString('hex'));
    expect(sandbox.resources!.limits!.memory).toBe(String(engineLimits(TEST_LIMITS).chargedBytes));
    const users = containers.map((each) => [each.name, each.securityContext!.runAsUser]);
    expect(users).toEqual([
      ['lay', plan.uid],
      ['door', 60_000],
      ['sandbox', plan.uid],
    ]);
  });
});

it('a Pod may live an hour longer than a sandbox, for its work to be kept, and where it may stand ready before, for that as well', () => {
  const lifetimeMs = (env: Record<string, string>) => driverSettings(readConfig(env)).kubernetes.lifetimeMs;
  const own = { SANDBOX_LIFETIME_MS: '60000' };
  expect(POD_RESERVE_MS).toBe(3_600_000);
  expect(lifetimeMs(own)).toBe(60_000 + POD_RESERVE_MS);
  expect(lifetimeMs({ ...own, SANDBOX_KUBERNETES_WARM: '1' })).toBe(60_000 + POD_RESERVE_MS + WARM_AGE_MS);
});

describe('the template of the operator', () => {
  it('says where and how Pods run', async () => {
    const made = await template(`apiVersion: v1
kind: PodTemplate
metadata: {name: sandboxes}
template:
  metadata: {labels: {team: a}, annotations: {note: b}}
  spec:
    runtimeClassName: gvisor
    nodeSelector: {pool: sandboxes}
    tolerations: [{key: sandbox, operator: Exists}]
    containers:
      - name: sandbox
        resources: {requests: {cpu: 100m}}
        securityContext: {seccompProfile: {type: Unconfined}}
`);
    const { metadata, spec } = podSpec({ ...plan, template: made });
    expect(metadata).toMatchObject({ labels: { team: 'a', 'agora.installation': 'x' }, annotations: { note: 'b' } });
    expect(spec).toMatchObject({ runtimeClassName: 'gvisor', nodeSelector: { pool: 'sandboxes' } });
    const [door, sandbox] = spec!.containers as [V1Container, V1Container];
    expect(door.resources).not.toHaveProperty('requests');
    expect(sandbox.resources).toMatchObject({ requests: { cpu: '100m' }, limits: { cpu: '1000m' } });
    expect(sandbox.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'Unconfined' } });
  });

  it.each([
    ['hostNetwork', '{hostNetwork: true}'],
    ['hostPID', '{hostPID: true}'],
    ['hostUsers', '{hostUsers: true}'],
    ['shareProcessNamespace', '{shareProcessNamespace: true}'],
    ['serviceAccountName', '{serviceAccountName: admin}'],
    ['automountServiceAccountToken', '{automountServiceAccountToken: true}'],
    ['volumes', '{volumes: [{name: host, hostPath: {path: /}}]}'],
    ['securityContext', '{securityContext: {runAsUser: 0}}'],
    ['restartPolicy', '{restartPolicy: Always}'],
    ['privileged', '{containers: [{name: sandbox, securityContext: {privileged: true}}]}'],
    ['capabilities', '{containers: [{name: sandbox, securityContext: {capabilities: {add: [SYS_ADMIN]}}}]}'],
    ['volumeMounts', '{containers: [{name: sandbox, volumeMounts: []}]}'],
    ['image', '{containers: [{name: door, image: other}]}'],
    ['env', '{containers: [{name: sandbox, env: [{name: A, value: b}]}]}'],
    ['limits', '{containers: [{name: sandbox, resources: {limits: {memory: 9Gi}}}]}'],
    ['Unconfined', '{containers: [{name: door, securityContext: {seccompProfile: {type: Unconfined}}}]}'],
    ['Unconfined', '{initContainers: [{name: lay, securityContext: {appArmorProfile: {type: Unconfined}}}]}'],
    ['template.spec.containers.0.name', '{containers: [{name: sidecar}]}'],
  ])('is refused with %s, which is named', async (what, spec) => {
    const error = await podOf(spec).catch((cause) => cause);
    expect(error).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(error.message).toContain('SANDBOX_KUBERNETES_TEMPLATE');
    expect(error.message).toContain(what);
  });

  it('is refused when it is absent, malformed, of another kind, or takes our labels', async () => {
    for (const text of [
      '{',
      'kind: Pod\ntemplate: {spec: {}}',
      '[]',
      'template: {metadata: {labels: {agora.x: a}}, spec: {}}',
    ])
      await expect(template(text)).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await expect(readTemplate(join(directory, 'absent.yaml'))).rejects.toThrow('cannot be read');
  });
});

describe('the Pod that the cluster admitted', () => {
  const asked = podSpec(plan);
  const changed = (change: (pod: V1Pod) => void) => {
    const found: V1Pod = JSON.parse(JSON.stringify(asked));
    Object.assign(found.spec!, { nodeName: 'a', schedulerName: 'default-scheduler', tolerations: [{ key: 'x' }] });
    for (const each of [...found.spec!.initContainers!, ...found.spec!.containers])
      each.terminationMessagePath ??= '/dev/termination-log';
    found.spec!.containers[1]!.resources!.limits!.cpu = '1';
    change(found);
    return changedByCluster(asked, found);
  };

  it('is the same with what every cluster adds', () => {
    expect(changed(() => {})).toEqual([]);
  });

  const sandbox = ({ spec }: V1Pod) => spec!.containers[1]!;
  it.each<[string, (pod: V1Pod) => void]>([
    ['the container istio-proxy', ({ spec }) => spec!.containers.push({ name: 'istio-proxy' })],
    ['the container init', ({ spec }) => spec!.initContainers!.unshift({ name: 'init' })],
    ['the volume token', ({ spec }) => spec!.volumes!.push({ name: 'token', secret: { secretName: 'x' } })],
    ['another volume input', ({ spec }) => Object.assign(spec!.volumes!.at(-1)!, { emptyDir: {} })],
    [
      'another env of the container sandbox',
      (pod) => Object.assign(sandbox(pod), { env: [{ name: 'A', value: 'b' }] }),
    ],
    ['another image of the container sandbox', (pod) => Object.assign(sandbox(pod), { image: 'other' })],
    ['another securityContext of', (pod) => Object.assign(sandbox(pod).securityContext!, { privileged: true })],
    ['another volumeMounts of', (pod) => Object.assign(sandbox(pod).volumeMounts!.at(-1)!, { readOnly: false })],
    ['another limit on memory', (pod) => Object.assign(sandbox(pod).resources!.limits!, { memory: '9Gi' })],
    ['another limit on cpu', (pod) => Object.assign(sandbox(pod).resources!, { limits: {} })],
    ['a namespace of the node', ({ spec }) => Object.assign(spec!, { hostNetwork: true })],
    ['a token', ({ spec }) => Object.assign(spec!, { automountServiceAccountToken: undefined })],
    ['another runtime class', ({ spec }) => Object.assign(spec!, { runtimeClassName: 'other' })],
    ['another security context', ({ spec }) => Object.assign(spec!, { securityContext: {} })],
    ['a container for debugging', ({ spec }) => Object.assign(spec!, { ephemeralContainers: [{ name: 'debug' }] })],
  ])('is refused with %s', (what, change) => {
    expect(changed(change).join(', ')).toContain(what);
  });
});

describe('the state of a Pod', () => {
  const fate = (status: V1PodStatus, metadata = {}) => fateOf({ metadata, spec: { containers: [] }, status });
  const ended = (reason: string, exitCode = 1) => ({
    phase: 'Failed',
    containerStatuses: [status('sandbox', { terminated: { exitCode, reason } })],
  });
  const status = (name: string, state: object) => ({
    name,
    image: 'operator:1',
    imageID: '',
    ready: false,
    restartCount: 0,
    state,
  });

  it.each<[string, V1PodStatus, RegExp]>([
    [
      'evicted',
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' },
      /evicted it \(The node was low/,
    ],
    ['preempted', { conditions: [disruption('PreemptionByScheduler')] }, /higher priority/],
    ['preempted by the node', { phase: 'Failed', reason: 'Preempting' }, /higher priority/],
    ['drained', { conditions: [disruption('EvictionByEvictionAPI')] }, /being drained/],
    ['on a node that was lost', { conditions: [disruption('DeletionByTaintManager')] }, /lost/],
    ['on a node that is gone', { conditions: [disruption('DeletionByPodGC')] }, /node is gone/],
    ['on a node that shuts down', { phase: 'Failed', reason: 'Shutdown' }, /shut down/],
    ['too old', { phase: 'Failed', reason: 'DeadlineExceeded' }, /end of its lifetime/],
    ['without room after all', { phase: 'Failed', reason: 'OutOfmemory' }, /no room/],
    ['out of memory', ended('OOMKilled', 137), /sandbox had no memory left/],
    ['ended by its own', ended('Error', 2), /container sandbox ended with exit code 2: Error/],
    [
      'without its image',
      waiting('ImagePullBackOff', 'not found'),
      /image operator:1 cannot be had: ImagePullBackOff \(not found\)/,
    ],
    ['with a malformed image', waiting('InvalidImageName'), /operator:1/],
    ['that cannot be started', waiting('CreateContainerError', 'no such device'), /no such device/],
    ['at its end', { phase: 'Succeeded' }, /have ended/],
  ])('is over when it is %s', (_what, status, why) => {
    expect(fate(status)).toEqual({ state: 'over', why: expect.stringMatching(why) });
  });

  it('goes on after its end was announced, until one of its containers has ended', () => {
    const seen = (status: V1PodStatus) => stillRuns({ status });
    const running = { phase: 'Running', containerStatuses: [status('sandbox', { running: {} })] };
    expect(seen(running)).toBe(true);
    const killed = status('door', { terminated: { exitCode: 137 } });
    expect(seen({ ...running, containerStatuses: [...running.containerStatuses, killed] })).toBe(false);
    expect(seen({ phase: 'Failed', reason: 'Evicted' })).toBe(false);
    expect(seen({ phase: 'Pending' })).toBe(true);
  });

  it('is over when somebody deletes it', () => {
    expect(fate({ phase: 'Running' }, { deletionTimestamp: new Date(0) })).toMatchObject({ state: 'over' });
  });

  it('waits for a node, an image and a start, and runs', () => {
    const unscheduled = { type: 'PodScheduled', status: 'False', message: '0/3 nodes are available.' };
    expect(fate({ phase: 'Pending', conditions: [unscheduled] })).toEqual({
      state: 'waits',
      why: 'no node has room for it (0/3 nodes are available.)',
    });
    expect(fate(waiting('ErrImagePull'))).toMatchObject({ state: 'waits', why: expect.stringContaining('operator:1') });
    expect(fate({ phase: 'Running' })).toEqual({ state: 'runs' });
  });

  function disruption(reason: string) {
    return { type: 'DisruptionTarget', status: 'True', reason };
  }
  function waiting(reason: string, message?: string): V1PodStatus {
    return { phase: 'Pending', containerStatuses: [status('sandbox', { waiting: { reason, message } })] };
  }
});
