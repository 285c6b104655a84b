import type { V1Container, V1Pod, V1VolumeMount } from '@kubernetes/client-node';
import { CALLS_DIR } from '../bwrap/launch.ts';
import { AGENT_PATH, agentArguments, disks, type EngineLimits, engineLimits, FILTER_PATH } from '../docker/spec.ts';
import type { SandboxLimits } from '../driver.ts';
import { REPORTERS_PATH } from '../reporters.ts';
import { DOOR_HOME, DOOR_PORT, DOOR_VARIABLES, INNER_DOOR } from './door-terms.ts';
import type { PodTemplate } from './template.ts';

/** The Pod that is asked for; `check.ts` checks the result. */

export const LABELS = { installation: 'agora.installation', server: 'agora.server' } as const;
/** Who made it, in full; a label has no room for it. */
export const SERVER_ANNOTATION = 'agora.server';

/** The user of every sandbox as it is seen inside (`native/pod.c`). */
export const AGENT_UID = 1000;
/** The door's, and of all inputs; no sandbox runs as it. */
const DOOR_UID = 60_000;
/** Those of sandboxes, outside: one of its own for each, as far as chance gives it, since nothing here reserves one. */
export const SANDBOX_UIDS = { first: 100_000, count: 1_000_000 };

const MIB = 1024 * 1024;
const DOOR_BYTES = 128 * MIB;
/** The sandbox agent, its filter and the reporters. */
const OURS_BYTES = 16 * MIB;
/** From when others announce its end: its server then takes out the work, and ends it earlier. */
export const STOP_SECONDS = 15;

export interface PodPlan {
  name: string;
  namespace: string;
  /** Of the sandbox, and of the door. */
  image: string;
  doorImage: string;
  limits: SandboxLimits;
  key: Buffer;
  /** Outside; inside it is `AGENT_UID`. */
  uid: number;
  labels: Record<string, string>;
  /** Of the server that made it. */
  server: string;
  startMs: number;
  lifetimeMs: number;
  template: PodTemplate;
}

/** Each disk is a volume of its own, so that the kubelet gives it a size. */
const diskVolume = (place: string) => place.slice(1).replaceAll('/', '-');

const quantity = (bytes: number) => String(bytes);

function volumes(limits: EngineLimits) {
  const memory = (name: string, bytes: number) => ({
    name,
    emptyDir: { medium: 'Memory', sizeLimit: quantity(bytes) },
  });
  return [
    memory('ours', OURS_BYTES),
    ...Object.entries(disks(limits)).map(([place, bytes]) => memory(diskVolume(place), bytes)),
    // What does not fit into the workspace is of no use there either.
    { name: 'input', emptyDir: { sizeLimit: quantity(limits.workspaceBytes + 64 * MIB) } },
  ];
}

/** Places where the image of the door has what the sandbox needs of ours, below `lay`. */
const ours: Record<string, string> = {
  [AGENT_PATH]: 'agent',
  [FILTER_PATH]: 'agent.seccomp',
  [CALLS_DIR]: 'calls',
  [REPORTERS_PATH]: 'reporters',
  '/etc/passwd': 'etc/passwd',
  '/etc/group': 'etc/group',
  // Otherwise the kubelet puts a file of the machine there.
  '/etc/hosts': 'etc/hosts',
};

/**
 * The kubelet gives every container a file of the machine that anybody may fill. Here it lies in a directory that nobody
 * may enter.
 */
const CLOSED = `${CALLS_DIR}/closed`;

/** A disk belongs to root, and a directory in it to whoever makes it. */
const LAY = [`cp -R ${DOOR_HOME}/lay/. /ours/`, 'chmod 0 /ours/calls/closed', 'mkdir -m 755 /workspace/own'].join(
  ' && ',
);

function sandboxMounts(limits: EngineLimits): V1VolumeMount[] {
  return [
    ...Object.entries(ours).map(([mountPath, subPath]) => ({ name: 'ours', mountPath, subPath, readOnly: true })),
    ...Object.keys(disks(limits)).map((mountPath) => ({
      name: diskVolume(mountPath),
      mountPath,
      ...(mountPath === '/workspace' && { subPath: 'own' }),
    })),
    { name: 'input', mountPath: '/input', readOnly: true },
  ];
}

const confined = (uid: number) => ({
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  privileged: false,
  readOnlyRootFilesystem: true,
  runAsGroup: uid,
  runAsNonRoot: true,
  runAsUser: uid,
});

export function podSpec(plan: PodPlan): V1Pod {
  const { limits: asked, uid, template } = plan;
  const limits = engineLimits(asked);
  const resources = (cpu: string, bytes: number) => ({ limits: { cpu, memory: quantity(bytes) } });
  const lay: V1Container = {
    name: 'lay',
    image: plan.doorImage,
    command: ['/bin/sh', '-c', LAY],
    securityContext: confined(uid),
    resources: resources('1', DOOR_BYTES),
    volumeMounts: [
      { name: 'ours', mountPath: '/ours' },
      { name: 'workspace', mountPath: '/workspace' },
    ],
  };
  const door: V1Container = {
    name: 'door',
    image: plan.doorImage,
    command: ['node', `${DOOR_HOME}/run-door.js`],
    env: [
      { name: DOOR_VARIABLES.key, value: plan.key.toString('hex') },
      { name: DOOR_VARIABLES.patienceMs, value: String(plan.startMs) },
    ],
    ports: [{ name: 'door', containerPort: DOOR_PORT, protocol: 'TCP' }],
    securityContext: confined(DOOR_UID),
    resources: resources('1', DOOR_BYTES),
    volumeMounts: [{ name: 'input', mountPath: '/input' }],
  };
  const sandbox: V1Container = {
    name: 'sandbox',
    image: plan.image,
    command: [AGENT_PATH],
    args: [
      ...agentArguments({ mark: `agora-kubernetes/${plan.name}`, limits: asked }),
      INNER_DOOR,
      String(plan.startMs),
    ],
    workingDir: '/workspace',
    securityContext: confined(uid),
    resources: resources(`${Math.round(asked.cpus * 1000)}m`, limits.chargedBytes),
    terminationMessagePath: `${CLOSED}/end`,
    volumeMounts: sandboxMounts(limits),
  };
  const { metadata, spec } = template;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: plan.name,
      namespace: plan.namespace,
      labels: { ...metadata.labels, ...plan.labels },
      annotations: { ...metadata.annotations, [SERVER_ANNOTATION]: plan.server },
    },
    spec: {
      ...spec.pod,
      hostname: 'sandbox',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      restartPolicy: 'Never',
      activeDeadlineSeconds: Math.ceil((plan.startMs + plan.lifetimeMs) / 1000),
      terminationGracePeriodSeconds: STOP_SECONDS,
      // It finds no name: the door needs none, and the sandbox has no network.
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['127.0.0.1'] },
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      initContainers: [spec.fit(lay)],
      containers: [spec.fit(door), spec.fit(sandbox)],
      volumes: volumes(limits),
    },
  };
}
