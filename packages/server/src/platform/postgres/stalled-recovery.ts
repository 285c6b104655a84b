import { readFile } from 'node:fs/promises';
import type { PostgresLog } from './account.ts';
import type { Cluster } from './cluster.ts';
import { isPostgresOn, readPidFile } from './lifeline.ts';

/**
 * PostgreSQL restarts its processes when one of them has crashed. Where the startup process then fails at once, for want of
 * disk say, PostgreSQL 18 may hear of its end before it has heard that recovery began: it takes the failure for a part of the
 * crash, and waits for recovery for ever, also once there is room. So somebody else has to look.
 */

const lookEveryMs = 2_000;

/**
 * Ends a PostgreSQL whose recovery has failed without a report, so that its owner starts it again. Returns a function
 * that ends the watch.
 */
export function watchRecovery(cluster: Cluster, log: PostgresLog): () => void {
  let suspect: number | undefined;
  const look = async () => {
    const stalled = await stalledPostmaster(cluster);
    // Between the end of recovery and the first process after it there is a moment, so it takes two looks.
    if (stalled !== undefined && stalled === suspect && isPostgresOn(stalled, cluster.data)) {
      log.error(`PostgreSQL (pid ${stalled}) has not noticed that its recovery failed; ending it`);
      process.kill(stalled, 'SIGQUIT');
    }
    suspect = stalled;
  };
  // It has ended meanwhile.
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs).unref();
  return () => clearInterval(timer);
}

/**
 * The pid of a PostgreSQL that neither recovers nor has recovered; after a recovery it would have a WAL writer. Works
 * on Linux only.
 */
async function stalledPostmaster(cluster: Cluster): Promise<number | undefined> {
  const found = readPidFile(cluster);
  if (!found || found.stopping || !isPostgresOn(found.pid, found.data)) return undefined;
  const children = await readFile(`/proc/${found.pid}/task/${found.pid}/children`, 'utf8');
  let writesInBackground = false;
  for (const child of children.trim().split(' ')) {
    const title = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
    // One of them is among the first processes, so of many connections few are read.
    if (/^postgres: (startup|walwriter)/.test(title)) return undefined;
    writesInBackground ||= title.startsWith('postgres: background writer');
  }
  return writesInBackground ? found.pid : undefined;
}
