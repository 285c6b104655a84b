import * as library from '@kubernetes/client-node';

/** The fields that the API knows, so that a misspelt one in a manifest is found: a server drops it and says nothing. */

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  [field: string]: unknown;
}

interface Model {
  getAttributeTypeMap(): { baseName: string; type: string }[];
}

const models = library as unknown as Record<string, Model | undefined>;

/** Of kinds that other programs bring: what `deploy/` sets, by the documentation of CloudNativePG 1.31 and KEDA 2. */
interface Fields {
  [name: string]: true | Fields;
}

const secret: Fields = { name: true, key: true };
const resources: Fields = { requests: { cpu: true, memory: true }, limits: { cpu: true, memory: true } };
const CUSTOM: Record<string, Fields> = {
  'postgresql.cnpg.io/v1 Cluster': {
    instances: true,
    imageName: true,
    bootstrap: { initdb: { database: true, owner: true } },
    storage: { size: true },
    resources,
    affinity: { podAntiAffinityType: true, topologyKey: true },
    postgresql: { synchronous: { method: true, number: true }, parameters: true },
    plugins: { name: true, isWALArchiver: true, parameters: { barmanObjectName: true } },
  },
  'postgresql.cnpg.io/v1 ScheduledBackup': {
    schedule: true,
    immediate: true,
    cluster: { name: true },
    method: true,
    pluginConfiguration: { name: true },
    backupOwnerReference: true,
  },
  'barmancloud.cnpg.io/v1 ObjectStore': {
    retentionPolicy: true,
    configuration: {
      destinationPath: true,
      s3Credentials: { accessKeyId: secret, secretAccessKey: secret, region: secret },
      wal: { compression: true },
      data: { compression: true },
    },
  },
  'keda.sh/v1alpha1 ScaledObject': {
    scaleTargetRef: { kind: true, name: true },
    minReplicaCount: true,
    maxReplicaCount: true,
    advanced: {
      horizontalPodAutoscalerConfig: {
        behavior: {
          scaleDown: { stabilizationWindowSeconds: true, policies: { type: true, value: true, periodSeconds: true } },
        },
      },
    },
    triggers: {
      type: true,
      metricType: true,
      metadata: { serverAddress: true, query: true, threshold: true, value: true },
    },
  },
};

const nameOf = ({ apiVersion, kind }: Manifest) => `${apiVersion} ${kind}`;
export const isCustom = (manifest: Manifest): boolean => nameOf(manifest) in CUSTOM;

/** Paths in it that nobody knows. */
export function unknownFields(manifest: Manifest): string[] {
  const custom = CUSTOM[nameOf(manifest)];
  if (custom) return strayIn(manifest.spec, custom, 'spec');
  const [, version = 'v1'] = /([^/]+)$/.exec(manifest.apiVersion) ?? [];
  const type = `${version.replace(/^v/, 'V')}${manifest.kind}`;
  if (!models[type]) return [`${nameOf(manifest)}: no such kind`];
  return strangeIn(manifest, type, manifest.kind);
}

function strayIn(value: unknown, fields: true | Fields, path: string): string[] {
  if (fields === true || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => strayIn(each, fields, path));
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = fields[name];
    return known ? strayIn(inner, known, `${path}.${name}`) : [`${path}.${name}`];
  });
}

function strangeIn(value: unknown, type: string, path: string): string[] {
  const [, inner] = /^(?:Array<(.+)>|.*string\]: (.+); \}|Set<(.+)>)$/.exec(type)?.filter(Boolean) ?? [];
  if (inner) {
    const list = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return list.flatMap(([name, each]) => strangeIn(each, inner, `${path}.${name}`));
  }
  const model = models[type];
  if (!model?.getAttributeTypeMap) return [];
  if (typeof value !== 'object' || value === null) return [`${path} is no ${type}`];
  const known = new Map(model.getAttributeTypeMap().map((each) => [each.baseName, each.type]));
  return Object.entries(value).flatMap(([name, each]) => {
    const its = known.get(name);
    return its === undefined ? [`${path}.${name}`] : strangeIn(each, its, `${path}.${name}`);
  });
}
