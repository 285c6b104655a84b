import { afterAll } from 'vitest';
import { describeDriver } from '../../../test/support/sandbox/conformance.ts';
import { startPodman } from '../../../test/support/sandbox/podman.ts';
import { DockerDriver } from './docker.ts';

// A machine without an engine must fail here: skipping would look like passing.
const engine = await startPodman();
const driver = new DockerDriver({
  installationId: `test-conformance-${process.pid}`,
  host: engine.host,
  image: engine.image,
});
afterAll(() => engine.stop());

describeDriver('docker', () => driver);
