import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { effectiveSettings, readConfig } from '../../src/platform/index.ts';
import { driverSettings } from '../../src/sandbox/configured.ts';
import { engineLimits } from '../../src/sandbox/docker/spec.ts';
import { DOOR_PORT } from '../../src/sandbox/kubernetes/door-terms.ts';
import { podSpec } from '../../src/sandbox/kubernetes/spec.ts';
import { readTemplate } from '../../src/sandbox/kubernetes/template.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/limits.ts';
import { isCustom, unknownFields } from '../support/kubernetes/known-fields.ts';
import {
  containersOf,
  deploy,
  kubernetes,
  manifests,
  OVERLAYS,
  podOf,
  variablesIn,
} from '../support/kubernetes/manifests.ts';

/** `deploy/` as files. That a cluster takes them is tested in `manifests.deep.test.ts`. */

const SECONDS_OF_A_STOP = 25;
const GIB = 1024 ** 3;

const root = join(deploy, '..');
const page = readFileSync(join(root, 'docs/operating/kubernetes.md'), 'utf8');
const operating = readFileSync(join(root, 'docs/operating/README.md'), 'utf8');
const settings = new Set(effectiveSettings({}).settings.map(({ name }) => name));
const all = manifests();
const named = (kind: string, name: string, file: string) =>
  all.find((each) => each.manifest.kind === kind && each.manifest.metadata.name === name && each.file === file)!
    .manifest;

/** Secrets that the page lets the operator make, with their keys. */
const secrets = new Map(
  [...page.replaceAll('\\\n', '').matchAll(/create secret generic (\S+) -n agora(.*)/g)].map(([, name, rest]) => [
    name!,
    [...rest!.matchAll(/--from-literal=([A-Z0-9_]+)=/g)].map(([, key]) => key!),
  ]),
);

/** As the server of an overlay finds its settings. */
function environment(overlay: (typeof OVERLAYS)[number]): Record<string, string> {
  const own = `overlays/${overlay}/settings.env`;
  const env = ['base', `overlays/${overlay}`].flatMap(
    (place) => containersOf(named('StatefulSet', 'server', `${place}/server.yaml`))[0]!.env ?? [],
  );
  const elsewhere = { DATABASE_URL: 'postgresql://agora:x@postgres-rw:5432/agora' } as Record<string, string>;
  const filled = (value: string | undefined) => value?.replace(/\$\(\w+\)/g, 'x');
  return {
    ...variablesIn('base/settings.env'),
    ...(existsSync(join(kubernetes, own)) && variablesIn(own)),
    ...Object.fromEntries((secrets.get('agora') ?? []).map((name) => [name, 'x'.repeat(40)])),
    ...Object.fromEntries(env.map(({ name, value }) => [name, filled(value) ?? elsewhere[name] ?? 'x'])),
  };
}

describe('deploy/kubernetes', () => {
  it.each(OVERLAYS)('%s has settings that the server takes, and no others', (overlay) => {
    const env = environment(overlay);
    const others = Object.keys(env).filter((name) => !settings.has(name));
    expect(others).toEqual(['POD_IP', overlay === 'small' ? 'POSTGRES_PASSWORD' : 'VALKEY_PASSWORD']);
    const config = readConfig(env);
    expect(config).toMatchObject({ AGORA_ENV: 'production', SANDBOX_DRIVER: 'kubernetes', PORT: 4000 });
    expect(config.S3_BUCKET === undefined).toBe(overlay === 'small');
    expect(config.REDIS_URL === undefined).toBe(overlay === 'small');
  });

  it.each(all.map(({ file, manifest }) => [manifest.kind, manifest.metadata.name, file, manifest] as const))(
    '%s %s of %s has only fields that the API knows',
    (_kind, _name, _file, manifest) => {
      expect(unknownFields(manifest)).toEqual([]);
    },
  );

  it('finds a field that nobody knows', () => {
    const server = structuredClone(named('StatefulSet', 'server', 'base/server.yaml'));
    Object.assign(podOf(server)!.containers[0]!.securityContext!, { readonlyRootFilesystem: true });
    expect(unknownFields(server)).toEqual([
      'StatefulSet.spec.template.spec.containers.0.securityContext.readonlyRootFilesystem',
    ]);
    const database = structuredClone(named('Cluster', 'postgres', 'overlays/ha/postgres.yaml'));
    expect(isCustom(database)).toBe(true);
    Object.assign(database.spec as object, { instance: 3 });
    expect(unknownFields(database)).toEqual(['spec.instance']);
  });

  it('confines every container, and limits it', () => {
    const pods = all.filter(({ manifest, file }) => podOf(manifest) && file !== `${dirname(file)}/server.yaml`);
    expect(pods.length).toBeGreaterThan(1);
    const ours = { manifest: named('StatefulSet', 'server', 'base/server.yaml') };
    for (const { manifest } of [...pods, ours]) {
      const pod = podOf(manifest)!;
      expect(pod.enableServiceLinks).toBe(false);
      expect(pod.automountServiceAccountToken).toBe(manifest === ours.manifest);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        for (const amounts of [container.resources?.requests, container.resources?.limits])
          expect(Object.keys(amounts ?? {})).toEqual(['cpu', 'memory']);
        expect(container.readinessProbe).toBeDefined();
      }
    }
  });

  it('gives a stop the time that it takes', () => {
    const server = podOf(named('StatefulSet', 'server', 'base/server.yaml'))!;
    const [, wait] = server.containers[0]!.lifecycle!.preStop!.exec!.command!;
    expect(server.terminationGracePeriodSeconds! - Number(wait)).toBeGreaterThanOrEqual(SECONDS_OF_A_STOP);
  });

  it('allows the server the calls that its driver makes, and nothing else', () => {
    const source = readFileSync(join(root, 'packages/server/src/sandbox/kubernetes/cluster.ts'), 'utf8');
    const verbs = { create: 'create', read: 'get', list: 'list', delete: 'delete' } as Record<string, string>;
    const calls = [...source.matchAll(/\bapi\.([a-z]+)Namespaced(\w+)\(/g)];
    expect(new Set(calls.map(([, , what]) => what))).toEqual(new Set(['Pod']));
    const made = [
      ...calls.map(([, verb]) => verbs[verb!] ?? verb),
      ...(source.includes('library.Watch(') ? ['watch'] : []),
    ];
    expect(named('Role', 'server', 'base/sandboxes.yaml').rules).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: [...new Set(made)].sort() },
    ]);
    expect(all.filter(({ manifest }) => /^ClusterRole/.test(manifest.kind))).toEqual([]);
  });

  it('opens the ports that server and door listen at', () => {
    const { PORT } = variablesIn('base/settings.env');
    const server = podOf(named('StatefulSet', 'server', 'base/server.yaml'))!.containers[0]!;
    expect(server.ports).toEqual([{ name: 'http', containerPort: Number(PORT) }]);
    const { spec: outer } = named('NetworkPolicy', 'server', 'base/server-network.yaml');
    const { spec: inner } = named('NetworkPolicy', 'sandboxes', 'base/sandboxes.yaml');
    expect(inner).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'agora' } },
              podSelector: { matchLabels: { 'app.kubernetes.io/name': 'agora' } },
            },
          ],
          ports: [{ port: DOOR_PORT }],
        },
      ],
    });
    expect(outer).toMatchObject({ ingress: [{ ports: [{ port: Number(PORT) }] }] });
    expect(JSON.stringify(outer)).toContain(`"ports":[{"port":${DOOR_PORT}}]`);
  });

  it.each([
    ['base', 'privileged'],
    ['components/gvisor', 'restricted'],
  ])('%s has a template that the driver takes and that its namespace admits', async (place, level) => {
    const file = place === 'base' ? 'base/namespaces.yaml' : `${place}/namespace.yaml`;
    const namespace = named('Namespace', 'agora-sandboxes', file).metadata as { labels?: Record<string, string> };
    expect(namespace.labels).toEqual({ 'pod-security.kubernetes.io/enforce': level });
    const { spec } = podSpec({
      ...plan,
      template: await readTemplate(join(kubernetes, place, 'sandbox-template.yaml')),
    });
    const profiles = [...spec!.initContainers!, ...spec!.containers].map(
      ({ securityContext }) => securityContext!.seccompProfile?.type,
    );
    expect(profiles.includes('Unconfined')).toBe(level === 'privileged');
    const pool = { key: 'pool', operator: 'Equal', value: 'sandboxes', effect: 'NoSchedule' };
    const where = place === 'base' ? spec : named('RuntimeClass', 'gvisor', `${place}/runtime-class.yaml`).scheduling;
    expect(where).toMatchObject({ nodeSelector: { pool: 'sandboxes' }, tolerations: [pool] });
    expect(spec!.runtimeClassName).toBe(place === 'base' ? undefined : 'gvisor');
  });

  it.each(OVERLAYS)('%s has a quota for the sandboxes that its servers may have', (overlay) => {
    const place = overlay === 'ha' ? 'overlays/ha/quota.yaml' : 'base/sandboxes.yaml';
    const { hard } = named('ResourceQuota', 'sandboxes', place).spec as { hard: Record<string, string> };
    const [{ count = 1 } = {}] =
      parse(readFileSync(join(kubernetes, `overlays/${overlay}/kustomization.yaml`), 'utf8')).replicas ?? [];
    const most = readConfig(environment(overlay)).SANDBOX_MAX_LIVE * count;
    const { containers } = podSpec(plan).spec!;
    const bytes = containers.reduce((sum, { resources }) => sum + Number(resources!.limits!.memory), 0);
    expect(Number(hard.pods)).toBeGreaterThanOrEqual(most);
    expect(Number(hard['limits.cpu'])).toBeGreaterThanOrEqual(most * 2);
    expect(Number.parseInt(hard['limits.memory']!, 10) * GIB).toBeGreaterThanOrEqual(most * bytes);
  });

  it('admits the Pod that the driver makes, and none that reaches its node or the cluster', async () => {
    const template = await readTemplate(join(kubernetes, 'base/sandbox-template.yaml'));
    const ours = podSpec({ ...plan, template }).spec!;
    expect(refusalsOf(ours)).toEqual([]);
    expect(refusalsOf({ ...ours, serviceAccountName: 'default' })).toEqual([]);
    const withContainer = (more: object) => ({ ...ours, initContainers: [{ ...ours.initContainers![0]!, ...more }] });
    const withContext = (more: object) =>
      withContainer({ securityContext: { ...ours.containers[1]!.securityContext, ...more } });
    const attacks: [string, object][] = [
      ['no volumes but emptyDir', { ...ours, volumes: [{ name: 'host', hostPath: { path: '/' } }] }],
      ['no network of the node', { ...ours, hostNetwork: true }],
      ['no processes of the node', { ...ours, hostPID: true }],
      ['no IPC of the node', { ...ours, hostIPC: true }],
      ['the scheduler chooses', { ...ours, nodeName: 'control-plane' }],
      ['no service account of its own', { ...ours, serviceAccountName: 'admin' }],
      ['no token of a service account', { ...ours, automountServiceAccountToken: undefined }],
      ['has a seccomp profile', { ...ours, securityContext: undefined }],
      ['has a security context', withContainer({ securityContext: undefined })],
      ['is privileged', withContext({ privileged: true })],
      ['gains privileges', withContext({ allowPrivilegeEscalation: undefined })],
      ['runs as root', withContext({ runAsNonRoot: false })],
      ['drops all capabilities', withContext({ capabilities: {} })],
      ['has a capability', withContext({ capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } })],
      ['only the container sandbox', withContext({ seccompProfile: { type: 'Unconfined' } })],
      ['no port of the node', withContainer({ ports: [{ containerPort: 80, hostPort: 80 }] })],
    ];
    for (const [what, pod] of attacks) expect(refusalsOf(pod).join(), what).toContain(what);
    expect(attacks).toHaveLength(validations.length);
  });

  it('small keeps less than its volume holds', () => {
    const config = readConfig(environment('small'));
    const { volumeClaimTemplates } = named('StatefulSet', 'server', 'base/server.yaml').spec as {
      volumeClaimTemplates: [{ spec: { resources: { requests: { storage: string } } } }];
    };
    const kept =
      config.STORAGE_TOTAL_BYTES +
      config.SANDBOX_KEEP_BYTES +
      config.WORKSPACE_KEEP_BYTES +
      config.DEPENDENCY_CACHE_BYTES +
      config.STORAGE_FLOOR_BYTES;
    const storage = Number.parseInt(volumeClaimTemplates[0].spec.resources.requests.storage, 10);
    expect(kept).toBeLessThan(storage * GIB);
  });

  it('names no bucket that somebody else may own', () => {
    const { configuration } = named('ObjectStore', 'postgres', 'overlays/ha/postgres.yaml').spec as {
      configuration: { destinationPath: string };
    };
    // A name of a bucket has no capitals.
    expect(configuration.destinationPath).toBe('s3://SET-ME/');
    expect(variablesIn('overlays/ha/settings.env').S3_BUCKET).toBe('SET-ME');
  });

  it('lets no container be larger than the largest that a task may ask for', () => {
    const config = readConfig({});
    const { chargedBytes } = engineLimits({
      ...DEFAULT_LIMITS,
      memoryBytes: config.SANDBOX_MAX_MEMORY_BYTES,
      diskBytes: config.SANDBOX_MAX_DISK_BYTES,
    });
    const { limits } = named('LimitRange', 'sandboxes', 'base/sandboxes.yaml').spec as {
      limits: [{ max: { cpu: string; memory: string } }];
    };
    expect(Number(limits[0].max.cpu)).toBe(config.SANDBOX_MAX_CPUS);
    expect(limits[0].max.memory).toBe(`${Math.ceil(chargedBytes / GIB)}Gi`);
  });

  it('asks for no secret that the page does not make', () => {
    const asked = all.flatMap(({ manifest }) =>
      containersOf(manifest).flatMap(({ env = [] }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])),
    );
    for (const { name, key } of asked.filter((each) => each.name !== 'postgres-app'))
      expect(secrets.get(name!), name).toContain(key);
    const { configuration } = named('ObjectStore', 'postgres', 'overlays/ha/postgres.yaml').spec as {
      configuration: { s3Credentials: Record<string, { name: string; key: string }> };
    };
    for (const { name, key } of Object.values(configuration.s3Credentials)) expect(secrets.get(name)).toContain(key);
  });

  it('names every file that it has', () => {
    for (const place of ['base', ...OVERLAYS.map((each) => `overlays/${each}`), ...COMPONENTS]) {
      const text = readFileSync(join(kubernetes, place, 'kustomization.yaml'), 'utf8');
      for (const file of all.map((each) => each.file).filter((file) => dirname(file) === place))
        expect(text).toContain(file.slice(place.length + 1));
    }
  });
});

const { validations, variables } = named(
  'ValidatingAdmissionPolicy',
  'agora-sandboxes',
  'base/sandboxes-admission.yaml',
).spec as { validations: { expression: string; message: string }[]; variables: { name: string; expression: string }[] };

/** The few words of CEL that the policy has, as those of JavaScript. */
const evaluated = (expression: string, names: object): unknown =>
  new Function(
    ...Object.keys(names),
    `return ${expression
      .replace(/has\(([\w.]+)\)/g, '($1 !== undefined)')
      .replace(/\.all\((\w+), /g, '.every(($1) => ')
      .replace(/\.exists\((\w+), /g, '.some(($1) => ')
      .replace(/(\w+(?:\.\w+)*) \+ \((.*)\)$/, '[...$1, ...($2)]')}`,
  )(...Object.values(names));

/** What the policy says against a Pod. The API refuses one as well where an expression fails. */
function refusalsOf(spec: object): string[] {
  const object = { spec };
  const values = Object.fromEntries(variables.map(({ name, expression }) => [name, evaluated(expression, { object })]));
  const holds = (expression: string) => {
    try {
      return evaluated(expression, { object, variables: values }) === true;
    } catch {
      return false;
    }
  };
  return validations.filter(({ expression }) => !holds(expression)).map(({ message }) => message);
}

const COMPONENTS = ['gvisor', 'ingress', 'scaling'].map((name) => `components/${name}`);

const plan = {
  name: 'agora-1',
  namespace: 'agora-sandboxes',
  image: 'a',
  doorImage: 'b',
  limits: DEFAULT_LIMITS,
  key: Buffer.alloc(32),
  uid: 100_000,
  labels: {},
  server: 'x',
  startMs: 60_000,
  lifetimeMs: 3_600_000,
  template: { metadata: { labels: {}, annotations: {} }, spec: { pod: {}, fit: <T>(container: T) => container } },
};

interface Service {
  image: string;
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  networks?: string[];
  healthcheck?: object;
  [field: string]: unknown;
}

describe('deploy/compose.yaml', () => {
  const text = readFileSync(join(deploy, 'compose.yaml'), 'utf8');
  const {
    services,
    volumes,
    networks,
  }: Record<'services', Record<string, Service>> & Record<'volumes' | 'networks', object> = parse(text, {
    merge: true,
  });
  const { server } = services as { server: Service };
  const filled = (value: string) => value.replace(/\$\{(\w+):\?\}/g, (_all, name) => values[name] ?? 'x'.repeat(40));
  const values: Record<string, string> = { PUBLIC_URL: 'https://agora.example.com' };

  it('has settings that the server takes, and no others', () => {
    const env = Object.fromEntries(Object.entries(server.environment!).map(([name, value]) => [name, filled(value)]));
    expect(Object.keys(env).filter((name) => !settings.has(name))).toEqual([]);
    const config = readConfig(env);
    expect(config).toMatchObject({ AGORA_ENV: 'production', SANDBOX_DRIVER: 'docker' });
    expect(driverSettings(config).docker.host).toBe('unix:///run/engine/docker.sock');
  });

  it('lets the operator fill in what the page names, and nothing else', () => {
    const asked = new Set([...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name));
    expect(text.replace(/\$\{\w+:\?\}|\$\$/g, '')).not.toContain('$');
    const [, block = ''] = /cat > deploy\/\.env \) <<END\n([\s\S]*?)\nEND/.exec(operating) ?? [];
    expect(new Set(block.split('\n').map((line) => line.split('=')[0]))).toEqual(asked);
  });

  it('keeps what the operator fills in out of the repository and of the image', () => {
    for (const file of ['.gitignore', 'deploy/Dockerfile.dockerignore'])
      expect(readFileSync(join(root, file), 'utf8').split('\n'), file).toContain('**/.env');
  });

  it('confines every service but the engine, and limits each', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.mem_limit, name).toMatch(/^\d+[mg]$/);
      expect(service.cpus, name).toBeGreaterThan(0);
      expect(service.pids_limit, name).toBeGreaterThan(0);
      expect(service.logging, name).toHaveProperty('options.max-size');
      expect(service.image, name).toMatch(/:v?\d+\.\d+/);
      if (name === 'engine') continue;
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
    expect(Object.keys(services).filter((name) => services[name]!.privileged)).toEqual(['engine']);
    expect(text).not.toContain('/var/run/docker.sock');
  });

  it('names only services, volumes and networks that it has', () => {
    for (const [name, { depends_on = {}, volumes: mounts = [], networks: joined = [] }] of Object.entries(services)) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        expect(Object.keys(services), name).toContain(other);
        if (condition === 'service_healthy') expect(services[other]).toHaveProperty('healthcheck');
      }
      for (const mount of mounts) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('./')) expect(existsSync(join(deploy, source)), source).toBe(true);
        else expect(Object.keys(volumes)).toContain(source);
      }
      for (const network of joined) expect(Object.keys(networks)).toContain(network);
    }
  });

  it('gives a stop the time that it takes', () => {
    expect(Number.parseInt(String(server.stop_grace_period), 10)).toBeGreaterThanOrEqual(SECONDS_OF_A_STOP);
  });
});
