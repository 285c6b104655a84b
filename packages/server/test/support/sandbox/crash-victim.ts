import { BwrapDriver } from '../../../src/sandbox/bwrap/bwrap.ts';
import { TEST_LIMITS } from './limits.ts';

/** A server that will be killed: starts sandboxes with work in them, says so and waits. Started by the crash test. */
const [installationId = '', controlGroups = 'auto'] = process.argv.slice(2);
const driver = new BwrapDriver({ installationId, controlGroups: controlGroups as 'auto' | 'off' });
for (const id of ['one', 'two']) {
  const box = await driver.create(id, TEST_LIMITS);
  await box.exec({ command: "setsid sh -c 'exec sleep 8642' & sleep 8642 &" });
}
console.log('running');
setInterval(() => {}, 1_000);
