import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubernetesDriver, type KubernetesSettings } from '../../../src/sandbox/kubernetes/kubernetes.ts';
import type { TestCluster } from './cluster.ts';

/** This machine runs containers in its own kernel, where the usual profile forbids user namespaces. */
const TEMPLATE = `apiVersion: v1
kind: PodTemplate
template:
  spec:
    initContainers:
      - {name: lay, resources: {requests: {cpu: 10m, memory: 16Mi}}}
    containers:
      - {name: door, resources: {requests: {cpu: 10m, memory: 16Mi}}}
      - name: sandbox
        resources: {requests: {cpu: 10m, memory: 16Mi}}
        securityContext: {seccompProfile: {type: Unconfined}}
`;

export function writeTemplate({ directory }: TestCluster): string {
  const file = join(directory, 'template.yaml');
  writeFileSync(file, TEMPLATE);
  return file;
}

export function testDriver(cluster: TestCluster, more: Partial<KubernetesSettings> = {}): KubernetesDriver {
  const template = writeTemplate(cluster);
  const { kubeconfig, image, agentImage } = cluster;
  return new KubernetesDriver({ installationId: 'test', kubeconfig, image, agentImage, template, ...more });
}
