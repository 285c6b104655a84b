import { KubernetesDriver } from '../../../src/sandbox/kubernetes/kubernetes.ts';
import { TEST_LIMITS } from '../sandbox/limits.ts';

/** A server that will be killed: starts a sandbox with work in it, says so and waits. */
const [kubeconfig = '', image = '', agentImage = '', template = ''] = process.argv.slice(2);
const driver = new KubernetesDriver({ installationId: 'test', kubeconfig, image, agentImage, template });
const box = await driver.create('victim', TEST_LIMITS);
await box.exec({ command: "setsid sh -c 'exec sleep 8642' & sleep 8642 &" });
console.log('running');
setInterval(() => {}, 1_000);
