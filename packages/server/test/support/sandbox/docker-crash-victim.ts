import { DockerDriver } from '../../../src/sandbox/docker/docker.ts';
import { TEST_LIMITS } from './limits.ts';

/** A server that will be killed: starts containers with work in them, says so and waits. Started by the crash test. */
const [installationId = '', host = '', image = ''] = process.argv.slice(2);
const driver = new DockerDriver({ installationId, host, image });
for (const id of ['one', 'two']) {
  const box = await driver.create(id, TEST_LIMITS);
  await box.exec({ command: "setsid sh -c 'exec sleep 8642' & sleep 8642 &" });
}
console.log('running');
setInterval(() => {}, 1_000);
