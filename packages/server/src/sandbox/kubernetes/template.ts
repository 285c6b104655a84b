import { readFile } from 'node:fs/promises';
import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import { z } from 'zod';
import { SandboxError } from '../driver.ts';

/**
 * What the operator may say of the Pods of sandboxes: where they run and how, not what they are. Everything that can be
 * set is named here, so that a field that would open a sandbox is refused, with its name. What the cluster's own programs make
 * of labels and annotations, nobody here can know.
 */
export interface PodTemplate {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> };
  spec: { pod: Partial<V1PodSpec>; fit(container: V1Container): V1Container };
}

const texts = z.record(z.string(), z.string());
const anything = z.array(z.looseObject({}));

const profile = z.strictObject({
  type: z.enum(['RuntimeDefault', 'Localhost', 'Unconfined']),
  localhostProfile: z.string().optional(),
});

const container = z.strictObject({
  name: z.enum(['lay', 'door', 'sandbox']),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
  resources: z.strictObject({ requests: texts.optional() }).optional(),
  securityContext: z
    .strictObject({ seccompProfile: profile.optional(), appArmorProfile: profile.optional() })
    .optional(),
});

/** The sandbox agent closes more than any profile, and needs one that lets it make a user namespace. */
const containers = z.array(
  container.refine(
    ({ name, securityContext }) =>
      name === 'sandbox' || Object.values(securityContext ?? {}).every(({ type }) => type !== 'Unconfined'),
    'only the container sandbox may have the profile Unconfined',
  ),
);

const schema = z.strictObject({
  apiVersion: z.literal('v1').optional(),
  kind: z.literal('PodTemplate').optional(),
  metadata: z.looseObject({}).optional(),
  template: z.strictObject({
    metadata: z
      .strictObject({
        labels: texts.default({}),
        annotations: texts.default({}),
      })
      .default({ labels: {}, annotations: {} }),
    spec: z.strictObject({
      runtimeClassName: z.string().optional(),
      nodeSelector: texts.optional(),
      affinity: z.looseObject({}).optional(),
      tolerations: anything.optional(),
      topologySpreadConstraints: anything.optional(),
      priorityClassName: z.string().optional(),
      preemptionPolicy: z.enum(['Never', 'PreemptLowerPriority']).optional(),
      schedulerName: z.string().optional(),
      imagePullSecrets: z.array(z.strictObject({ name: z.string() })).optional(),
      containers: containers.default([]),
      initContainers: containers.default([]),
    }),
  }),
});

export const NO_TEMPLATE: PodTemplate = {
  metadata: { labels: {}, annotations: {} },
  spec: { pod: {}, fit: (container) => container },
};

const refused = (file: string, why: string) =>
  new SandboxError('SANDBOX_UNAVAILABLE', `SANDBOX_KUBERNETES_TEMPLATE: ${file} ${why}`);

export async function readTemplate(file: string | undefined): Promise<PodTemplate> {
  if (file === undefined) return NO_TEMPLATE;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw refused(file, `cannot be read: ${(error as Error).message}`);
  }
  const { parse } = await import('yaml');
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw refused(file, `is no YAML: ${(error as Error).message}`);
  }
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw refused(file, complaint(parsed.error));
  const { metadata, spec } = parsed.data.template;
  const { containers, initContainers, ...pod } = spec;
  const own = Object.keys({ ...metadata.labels, ...metadata.annotations }).find((name) => name.startsWith('agora.'));
  if (own) throw refused(file, `sets ${own}. Names with agora. belong to Agora; choose another.`);
  const by = new Map([...containers, ...initContainers].map((each) => [each.name as string, each]));
  return {
    metadata,
    spec: { pod: pod as Partial<V1PodSpec>, fit: (container) => fitted(container, by.get(container.name)) },
  };
}

/** What is ours wins. */
function fitted(container: V1Container, wanted: z.infer<typeof containers>[number] | undefined): V1Container {
  if (!wanted) return container;
  const { imagePullPolicy, resources, securityContext } = wanted;
  return {
    ...container,
    ...(imagePullPolicy && { imagePullPolicy }),
    resources: { ...resources, ...container.resources },
    securityContext: { ...(securityContext as V1Container['securityContext']), ...container.securityContext },
  };
}

function complaint(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = (issue?.path ?? []).join('.');
  if (issue?.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => (path ? `${path}.${key}` : key)).join(', ');
    return `sets ${names}, which no sandbox may have. Remove it.`;
  }
  return `is not right at ${path || 'its root'}: ${issue?.message ?? 'malformed'}.`;
}
