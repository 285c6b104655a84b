import { readFileSync } from 'node:fs';
import type { Chance } from '../../simulation/chance.ts';
import { postmaster } from '../look.ts';
import type { Installation } from '../server-process.ts';
import { sleep } from './cast.ts';

/** What is killed when so many tasks have been submitted. `starting` kills the server once more while it starts. */
export interface Kill {
  atTask: number;
  what: 'server' | 'starting' | 'postgres';
}

/** Kills in the first two thirds, so that the last process has time to show whether it grows. */
export function planKills(random: Chance, tasks: number, counts: { server: number; postgres: number }): Kill[] {
  const whats = [
    ...Array.from({ length: counts.server }, (_, at) => (at === 1 ? ('starting' as const) : ('server' as const))),
    ...Array.from({ length: counts.postgres }, () => 'postgres' as const),
  ];
  const span = Math.floor((tasks * 0.62) / whats.length);
  // One in each stretch, in an order that chance makes.
  return random.shuffled(whats).map((what, at) => ({
    what,
    atTask: at * span + Math.floor(span * 0.25) + random.below(Math.ceil(span * 0.6)),
  }));
}

/** Kills as planned while `done` says how many tasks have been submitted. */
export async function killAlong(
  server: Installation,
  random: Chance,
  kills: Kill[],
  progress: { submitted(): number; over(): boolean },
): Promise<number> {
  let killed = 0;
  for (const { atTask, what } of kills) {
    while (progress.submitted() < atTask && !progress.over()) await sleep(20);
    await sleep(random.below(400));
    killed += 1;
    if (what === 'postgres') {
      process.kill(await postmaster(server), 'SIGKILL');
      continue;
    }
    await server.end('SIGKILL');
    if (what === 'starting') {
      const starting = server.start().catch(() => undefined);
      await sleep(random.below(700));
      await server.end('SIGKILL');
      await starting;
      killed += 1;
    }
    await server.start();
  }
  return killed;
}

/** A second server of the database comes, is killed, comes back, is stopped and comes back, as the tasks come in. */
export async function disturb(
  second: Installation,
  tasks: number,
  progress: { submitted(): number; over(): boolean },
): Promise<number> {
  const steps = [
    { at: 0.05, ends: null },
    { at: 0.25, ends: 'SIGKILL' },
    { at: 0.45, ends: 'SIGTERM' },
    { at: 0.6, ends: 'SIGKILL' },
  ] as const;
  for (const { at, ends } of steps) {
    while (progress.submitted() < tasks * at && !progress.over()) await sleep(20);
    if (ends !== null) await second.end(ends);
    await startAtLast(second);
  }
  return steps.length - 1;
}

/** As who watches over a server starts it: again, where its database was away. That one goes down with its own server. */
export async function startAtLast(server: Installation, release?: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const failure = await server.start(release).then(
      () => null,
      (error) => error,
    );
    if (failure === null) return;
    if (performance.now() > deadline) throw failure;
    await sleep(300);
  }
}

/** Gives the addresses of those that run by turns, as a proxy would choose. */
export function byTurns(servers: Installation[]): Pick<Installation, 'url'> {
  let next = 0;
  return {
    url() {
      const urls = servers.flatMap((server) => server.url() ?? []);
      return urls[next++ % urls.length] ?? null;
    },
  };
}

/** Megabytes that the server process holds in memory. */
export function residentMb(server: Installation): number | null {
  try {
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid()}/status`, 'utf8'))?.[1];
    return kb === undefined ? null : Math.round(Number(kb) / 1024);
  } catch {
    return null;
  }
}
