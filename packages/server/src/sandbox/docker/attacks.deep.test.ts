import { afterAll } from 'vitest';
import { describeAttacks } from '../../../test/support/sandbox/attacks.ts';
import { startPodman } from '../../../test/support/sandbox/podman.ts';
import { DockerDriver } from './docker.ts';

// A machine without an engine must fail here: skipping would look like passing.
const engine = await startPodman();
const driver = new DockerDriver({
  installationId: `test-attacks-${process.pid}`,
  host: engine.host,
  image: engine.image,
});
afterAll(() => engine.stop());

describeAttacks('docker', () => driver);
