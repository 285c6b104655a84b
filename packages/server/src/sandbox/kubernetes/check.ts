import { isDeepStrictEqual } from 'node:util';
import type { V1Container, V1Pod, V1Volume } from '@kubernetes/client-node';

/**
 * Whether the Pod that the cluster admitted is the one that was asked for. Admission may change a Pod: it adds containers,
 * volumes and variables, or takes limits away. Returns what is different, in words.
 */
export function changedByCluster(asked: V1Pod, found: V1Pod): string[] {
  const [want, have] = [asked.spec!, found.spec!];
  const differs = (what: string, is: boolean) => (is ? [what] : []);
  return [
    ...differs(
      'a namespace of the node',
      !!(have.hostNetwork || have.hostPID || have.hostIPC || have.shareProcessNamespace),
    ),
    ...differs('a token of a service account', have.automountServiceAccountToken !== false),
    ...differs('another lifetime', have.activeDeadlineSeconds !== want.activeDeadlineSeconds),
    ...differs('another runtime class', (have.runtimeClassName ?? '') !== (want.runtimeClassName ?? '')),
    ...differs('another security context', !isSame(want.securityContext, have.securityContext)),
    ...differs('a container for debugging', (have.ephemeralContainers ?? []).length > 0),
    ...changedVolumes(want.volumes ?? [], have.volumes ?? []),
    ...changedContainers(want.initContainers ?? [], have.initContainers ?? []),
    ...changedContainers(want.containers, have.containers),
  ];
}

function changedVolumes(want: V1Volume[], have: V1Volume[]): string[] {
  const known = new Map(want.map((each) => [each.name, each]));
  const added = have.filter(({ name }) => !known.has(name)).map(({ name }) => `the volume ${name}`);
  const others = have.filter((each) => known.has(each.name) && !isSameVolume(known.get(each.name)!, each));
  return [...added, ...others.map(({ name }) => `another volume ${name}`)];
}

const isSameVolume = (want: V1Volume, have: V1Volume) =>
  Object.entries(have).every(([key, value]) => key === 'name' || key === 'emptyDir' || value === undefined) &&
  (want.emptyDir?.medium ?? '') === (have.emptyDir?.medium ?? '') &&
  Object.is(amount(want.emptyDir?.sizeLimit), amount(have.emptyDir?.sizeLimit));

function changedContainers(want: V1Container[], have: V1Container[]): string[] {
  const known = new Map(want.map((each) => [each.name, each]));
  const added = have.filter(({ name }) => !known.has(name)).map(({ name }) => `the container ${name}`);
  const missing = want.filter(({ name }) => !have.some((each) => each.name === name));
  return [
    ...added,
    ...missing.map(({ name }) => `no container ${name}`),
    ...have.flatMap((each) => {
      const asked = known.get(each.name);
      return asked ? changedParts(asked, each).map((part) => `${part} of the container ${each.name}`) : [];
    }),
  ];
}

const PARTS = ['image', 'command', 'args', 'env', 'envFrom', 'volumeMounts', 'volumeDevices', 'lifecycle'] as const;
const MORE_PARTS = ['securityContext', 'terminationMessagePath', 'workingDir', 'stdin', 'tty', 'ports'] as const;
const DEFAULTS: Partial<V1Container> = { terminationMessagePath: '/dev/termination-log' };

function changedParts(want: V1Container, have: V1Container): string[] {
  const changed = [...PARTS, ...MORE_PARTS].filter((part) => !isSame(want[part] ?? DEFAULTS[part], have[part]));
  const [asked, given] = [want.resources?.limits ?? {}, have.resources?.limits ?? {}];
  const unlimited = Object.keys(asked).filter((name) => !Object.is(amount(asked[name]), amount(given[name])));
  return [...changed.map((part) => `another ${part}`), ...unlimited.map((name) => `another limit on ${name}`)];
}

/** As far as it matters: what is absent, empty or false is the same. */
const isSame = (want: unknown, have: unknown): boolean => isDeepStrictEqual(bare(want), bare(have));

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(bare);
  if (typeof value !== 'object' || value === null)
    return value === false || value === '' ? undefined : (value ?? undefined);
  const kept = Object.entries(value).flatMap(([key, each]) => {
    const inner = bare(each);
    return inner === undefined ? [] : [[key, inner] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const UNITS: Record<string, number> = {
  ...{ m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/** The cluster writes quantities in its own way: 1000m as 1, 1024000 as 1024k. */
function amount(quantity: string | undefined): number {
  const [, digits = '', unit = ''] = /^([0-9.]+(?:e[0-9]+)?)([A-Za-z]*)$/.exec(String(quantity ?? '')) ?? [];
  return digits === ''
    ? Number.NaN
    : Math.round(Number(digits) * (UNITS[unit] ?? (unit === '' ? 1 : Number.NaN)) * 1000);
}
