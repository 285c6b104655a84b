import { afterAll } from 'vitest';
import { describeDriver } from '../../../test/support/sandbox/conformance.ts';
import { DockerDriver } from './docker.ts';
import { startPodman } from './local-engine.ts';

// A machine without an engine must fail here: skipping would look like passing.
const engine = await startPodman();
const driver = new DockerDriver({
  installationId: `test-conformance-${process.pid}`,
  host: engine.host,
  image: engine.image,
});
afterAll(() => engine.stop());

describeDriver('docker', () => driver);
