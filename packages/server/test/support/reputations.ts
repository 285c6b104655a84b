import type { App } from '../../src/app.ts';

/**
 * Waits until the reader of the event log has entered all that was logged so far: scores, tiers and suspensions are there
 * a moment after the task that they come from has ended.
 */
export async function reputationsSettled({ app }: { app: App }): Promise<void> {
  const { rows: last } = await app.pool.query('select coalesce(max(seq), 0) as seq from events');
  const deadline = performance.now() + 10_000;
  for (;;) {
    await app.run('registry.followLog');
    const { rows: place } = await app.pool.query(`select seq from outbox_readers where name = 'registry.reputation'`);
    if (Number(place[0]?.seq ?? 0) >= Number(last[0].seq)) return;
    if (performance.now() > deadline) throw new Error('the reader of reputations does not come to the end of the log');
    // A transaction that is still open holds it up.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
