import { afterAll } from 'vitest';
import { startCluster } from '../../../test/support/kubernetes/cluster.ts';
import { testDriver } from '../../../test/support/kubernetes/driver.ts';
import { describeAttacks } from '../../../test/support/sandbox/attacks.ts';

// A machine without a cluster must fail here: skipping would look like passing.
const cluster = await startCluster();
afterAll(() => cluster.stop());

describeAttacks('kubernetes', () => testDriver(cluster));
