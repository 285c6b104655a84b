import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubernetesDriver } from '../../src/sandbox/kubernetes/kubernetes.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/limits.ts';
import { startCluster } from '../support/kubernetes/cluster.ts';
import { isCustom, type Manifest } from '../support/kubernetes/known-fields.ts';
import { documentsIn, kubernetes, OVERLAYS } from '../support/kubernetes/manifests.ts';
import { kubernetesProgram } from '../support/kubernetes/programs.ts';

/** `deploy/kubernetes` before the API of a real cluster, and a sandbox with nothing but what `base` allows. */

const cluster = await startCluster();
afterAll(() => cluster.stop());

const COMPONENTS = ['gvisor', 'ingress', 'scaling'];
/** Newer than the cluster of the tests, with what that has in their place. */
const OLDER: Record<string, string> = { 'policy/v1': 'policy/v1beta1' };
/** Kinds that it does not have at all. */
const NEWER = /^ValidatingAdmissionPolicy/;

function rendered(overlay: string, components: string[] = []): Manifest[] {
  const place = mkdtempSync(join(tmpdir(), 'agora-overlay-'));
  try {
    const at = (...path: string[]) => relative(place, join(kubernetes, ...path));
    const text = JSON.stringify({
      resources: [at(overlay)],
      components: components.map((name) => at('components', name)),
    });
    writeFileSync(join(place, 'kustomization.yaml'), text);
    const { status, stdout, stderr } = spawnSync(kubernetesProgram('kubectl'), ['kustomize', place], {
      encoding: 'utf8',
    });
    if (status !== 0 || stderr !== '') throw new Error(stderr);
    return documentsIn(stdout);
  } finally {
    rmSync(place, { recursive: true });
  }
}

interface Resources {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

async function pathOf({ apiVersion, kind, metadata }: Manifest): Promise<string> {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = (await cluster.call<Resources>('GET', group)).body;
  const resource = resources.find((each) => each.kind === kind && !each.name.includes('/'));
  if (!resource) throw new Error(`${apiVersion} has no ${kind}`);
  return `${group}${resource.namespaced ? `/namespaces/${metadata.namespace}` : ''}/${resource.name}`;
}

async function create(manifest: Manifest, query = ''): Promise<{ status: number; body: unknown }> {
  return cluster.call('POST', `${await pathOf(manifest)}${query}`, manifest);
}

const base = rendered('base');
const inSandboxes = base.filter(({ metadata }) => metadata.namespace === 'agora-sandboxes');

beforeAll(async () => {
  for (const manifest of base.filter(({ kind }) => kind === 'Namespace'))
    expect(await create(manifest)).toMatchObject({ status: 201 });
});

describe.each([...OVERLAYS.map((name) => [name, []] as const), ...OVERLAYS.map((name) => [name, COMPONENTS] as const)])(
  'the overlay %s with the components %j',
  (overlay, components) => {
    const objects = rendered(`overlays/${overlay}`, [...components]);
    const ours = objects.filter((each) => !isCustom(each) && each.kind !== 'Namespace' && !NEWER.test(each.kind));

    it.each(ours.map((each) => [each.kind, each.metadata.name, each] as const))(
      'has a %s %s that the API takes whole',
      async (_kind, _name, object) => {
        const asked = { ...object, apiVersion: OLDER[object.apiVersion] ?? object.apiVersion };
        const { status, body } = await create(asked, '?dryRun=All');
        expect(status, JSON.stringify(body)).toBe(201);
        expect(body).toMatchObject(asked);
      },
    );

    it('selects its Pods, and finds its settings and services', () => {
      const all = (kind: string) => objects.filter((each) => each.kind === kind);
      const names = (kind: string) => all(kind).map(({ metadata }) => metadata.name);
      const text = JSON.stringify(all('StatefulSet'));
      for (const [, name] of text.matchAll(/"(?:configMapRef|configMap)":\{"name":"([^"]+)"/g))
        expect(names('ConfigMap')).toContain(name);
      const pods = all('StatefulSet').map(
        ({ spec }) => (spec as { template: { metadata: { labels: Record<string, string> } } }).template.metadata.labels,
      );
      for (const { spec, metadata } of [...all('Service'), ...all('PodDisruptionBudget')]) {
        const { selector } = spec as { selector: Record<string, never> };
        const wanted: Record<string, string> = selector.matchLabels ?? selector;
        const found = pods.filter((labels) => Object.entries(wanted).every(([name, value]) => labels[name] === value));
        expect(found, metadata.name).toHaveLength(1);
      }
    });
  },
);

describe('the service account of the server', () => {
  const user = 'system:serviceaccount:agora:server';

  beforeAll(async () => {
    const account = base.find(({ kind }) => kind === 'ServiceAccount')!;
    for (const manifest of [account, ...inSandboxes]) expect(await create(manifest)).toMatchObject({ status: 201 });
    const { body } = await cluster.call<{ items: { metadata: { name: string } }[] }>('GET', '/api/v1/nodes');
    for (const { metadata } of body.items)
      await cluster.call('PATCH', `/api/v1/nodes/${metadata.name}`, { metadata: { labels: { pool: 'sandboxes' } } });
  });

  async function mayDo(verb: string, resource: string, namespace: string): Promise<boolean> {
    const [name, subresource] = resource.split('/');
    const { body } = await cluster.call<{ status: { allowed: boolean } }>(
      'POST',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user, resourceAttributes: { verb, resource: name, subresource, namespace } },
      },
    );
    return body.status.allowed;
  }

  it.each(['create', 'delete', 'get', 'list', 'watch'])('may %s Pods among the sandboxes alone', async (verb) => {
    expect(await mayDo(verb, 'pods', 'agora-sandboxes')).toBe(true);
    expect(await mayDo(verb, 'pods', 'agora')).toBe(false);
    expect(await mayDo(verb, 'pods', 'kube-system')).toBe(false);
  });

  it.each([
    ['create', 'pods/exec'],
    ['create', 'pods/attach'],
    ['create', 'pods/portforward'],
    ['get', 'pods/log'],
    ['patch', 'pods'],
    ['update', 'pods'],
    ['deletecollection', 'pods'],
    ['get', 'secrets'],
    ['list', 'nodes'],
    ['create', 'serviceaccounts/token'],
    ['create', 'rolebindings'],
  ])('may not %s %s', async (verb, resource) => {
    expect(await mayDo(verb, resource, 'agora-sandboxes')).toBe(false);
  });

  it('runs a sandbox of ordinary size within the quota, the limits and the template', async () => {
    const { body } = await cluster.call<{ status: { token: string } }>(
      'POST',
      '/api/v1/namespaces/agora/serviceaccounts/server/token',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    );
    const kubeconfig = join(cluster.directory, 'server.kubeconfig');
    const { stdout } = spawnSync(
      kubernetesProgram('kubectl'),
      ['--kubeconfig', cluster.kubeconfig, 'config', 'view', '--raw', '-o', 'json'],
      { encoding: 'utf8' },
    );
    const config = JSON.parse(stdout);
    config.users[0].user = { token: body.status.token };
    writeFileSync(kubeconfig, JSON.stringify(config));
    const { image, agentImage } = cluster;
    const template = join(kubernetes, 'base/sandbox-template.yaml');
    const settings = { installationId: 'test', kubeconfig, namespace: 'agora-sandboxes', image, agentImage, template };
    const box = await new KubernetesDriver(settings).create('ordinary', DEFAULT_LIMITS);
    expect(await box.exec({ command: 'echo here' })).toMatchObject({ stdout: 'here\n', exitCode: 0 });
    await box.destroy();
    const pods = async () =>
      (await cluster.call<{ items: unknown[] }>('GET', '/api/v1/namespaces/agora-sandboxes/pods')).body.items.length;
    await expect.poll(pods).toBe(0);
  });
});
