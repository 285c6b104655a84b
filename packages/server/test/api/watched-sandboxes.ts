import { createSandboxDriver, type Sandbox } from '../../src/sandbox/index.ts';

let serial = 0;

/** A driver for one server, and all sandboxes that it has opened. */
export function watchSandboxes() {
  const driver = createSandboxDriver({ driver: 'auto', installationId: `watched-${process.pid}-${++serial}` });
  const opened: { sandbox: Sandbox; ended: boolean /** Others that lived when it began. */; beside: number }[] = [];
  const live = () => opened.filter(({ ended }) => !ended).length;
  const watched: typeof driver = Object.assign(Object.create(driver), {
    async create(...given: Parameters<typeof driver.create>) {
      const [id] = given;
      const entry = { sandbox: await driver.create(...given), ended: false, beside: live() };
      // The server's own look at whether it can start one.
      if (id === 'probe') return entry.sandbox;
      opened.push(entry);
      void entry.sandbox.closed.then(() => {
        entry.ended = true;
      });
      return entry.sandbox;
    },
  });
  return { driver: watched, opened, live };
}
