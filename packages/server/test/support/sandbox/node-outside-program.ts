import { BwrapDriver } from '../../../src/sandbox/bwrap/bwrap.ts';
import { TEST_LIMITS } from './limits.ts';

/** Looks for Node in a sandbox and prints what it finds. Started by the test of machines whose Node is elsewhere. */
const [installationId = '', command = ''] = process.argv.slice(2);
const driver = new BwrapDriver({ installationId });
const probe = await driver.probe();
const box = await driver.create('look', TEST_LIMITS);
const { exitCode, stdout, stderr } = await box.exec({ command });
await box.destroy();
driver.forget();
console.log(JSON.stringify({ probe, exitCode, stdout, stderr }));
