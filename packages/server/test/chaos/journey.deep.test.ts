import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { perform } from './journey/agents.ts';
import { auditJourney, awaitQuiet, leftOnHost, repeatUnanswered, type State, summed } from './journey/audit.ts';
import { buy } from './journey/buyers.ts';
import { createStage, dice, type Stage, settings, sleep } from './journey/cast.ts';
import { counted, credits, inOrder, printed } from './journey/figures.ts';
import { byTurns, disturb, type Kill, killAlong, planKills, residentMb } from './journey/kills.ts';
import { createRecorder } from './journey/record.ts';
import { databaseUrlOf } from './look.ts';
import { createInstallation, type Installation } from './server-process.ts';

/**
 * Agents that vanish, decline, hang, lie and flood, buyers that change their minds and dispute, sellers that answer or do
 * not, an operator, a network that loses replies, and a server and a PostgreSQL that are killed. What chance decides comes from a seed, which every run prints; what becomes
 * of it depends on the machine's timing too. CONTRIBUTING.md says how to run the long one.
 */

const tasks = Number(process.env.JOURNEY_TASKS ?? 200);
const seed = Number(process.env.JOURNEY_SEED ?? randomInt(1, 1_000_000));
const isLong = tasks >= 1_000;
const counts = isLong ? { server: 6, postgres: 2 } : { server: 2, postgres: 1 };
const clients = 40;
const again = `JOURNEY_SEED=${seed} JOURNEY_TASKS=${tasks} npm test -- chaos/journey`;

let server: Installation;
/** Works on the same database, with a disk of its own. */
let second: Installation;

beforeAll(async () => {
  server = await createInstallation(settings);
  await server.start();
  second = await createInstallation({ ...settings, DATABASE_URL: await databaseUrlOf(server) });
});
afterAll(async () => {
  await second?.remove();
  await server?.remove();
});

/** Buyers come until so many tasks have been taken. */
async function buyAll(stage: Stage): Promise<void> {
  let next = 0;
  const client = async () => {
    while (stage.acknowledged.size < tasks) if (!(await buy(stage, next++))) await sleep(250);
  };
  await Promise.all(Array.from({ length: clients }, client));
}

interface Run {
  stage: Stage;
  kills: Kill[];
  killed: number;
  /** When the last process was started. */
  lastStart: Date;
  /** Megabytes over time of the last process, from its start to the quiet. */
  memory: number[];
  seconds: number;
}

async function run(): Promise<Run> {
  const begun = performance.now();
  const recorder = createRecorder(byTurns([server, second]), seed, 0.02);
  const stage = await createStage(server, recorder, seed);
  const random = dice(seed, 'kills');
  const kills = planKills(random, tasks, counts);
  const stop = new AbortController();
  // All agents listen.
  setMaxListeners(0, stop.signal);
  const agents = perform(stage, stop.signal);
  let over = false;
  let lastStart = new Date();
  let memory: number[] = [];
  let pid = server.pid();
  const sampler = setInterval(() => {
    if (pid !== server.pid()) memory = [];
    pid = server.pid();
    const mb = residentMb(server);
    if (mb !== null) memory.push(mb);
  }, 500);
  const submitted = () => stage.acknowledged.size;
  const progress = { submitted, over: () => over };
  const killing = Promise.all([killAlong(server, random, kills, progress), disturb(second, tasks, progress)]).then(
    ([killed, killedBeside]) => {
      lastStart = new Date();
      return killed + killedBeside;
    },
  );
  try {
    await buyAll(stage);
    over = true;
    const killed = await killing;
    stop.abort();
    await agents;
    return { stage, kills, killed, lastStart, memory, seconds: (performance.now() - begun) / 1000 };
  } finally {
    stop.abort();
    clearInterval(sampler);
  }
}

/** The memory of a process that leaks goes up from half-time to the end; that of another does not, or not by much. */
function memoryOf({ memory }: Run) {
  const half = memory[Math.floor(memory.length / 2)] ?? 0;
  return { half, end: residentMb(server) ?? 0, most: Math.max(0, ...memory) };
}

type Audit = Awaited<ReturnType<typeof auditJourney>>;

function report(journey: Run, audit: Audit, extra: { quietMs: number; repeated: number; state: State }): string {
  const { stage, kills, killed, seconds } = journey;
  const { recorder } = stage;
  const { half, end, most } = memoryOf(journey);
  return printed(
    `Chaos journey, seed ${seed}: ${audit.stored.length} tasks in ${seconds.toFixed(0)} s. Again: ${again}`,
    [
      ['Tasks by outcome', counted(audit.stored.map(({ status }) => status))],
      ['Why tasks failed', counted(audit.stored.flatMap(({ error }) => (error === null ? [] : [reasonOf(error)])))],
      ['Kills', [...counted(kills.map(({ what }) => what)), ['processes killed in all', killed]]],
      ['Replies', inOrder(recorder.replies)],
      [
        'Repeated requests',
        [
          ['attempts under a key that was sent before', recorder.retries],
          ['replies that the network lost', recorder.lost],
          ['requests without any answer, repeated at the end', extra.repeated],
        ],
      ],
      ['Deeds', inOrder(stage.deeds)],
      ['Disputes by end', counted(audit.courts.ends)],
      ['Appeals by end', counted(audit.courts.appeals)],
      ['Money', audit.money.map(({ cause, n, cents }) => [`${n} × ${cause}`, credits(cents)])],
      ['Sandboxes', audit.sandboxes.map(({ status, n }) => [status, n])],
      [
        'Memory of the last server process, MB',
        [
          ['at half-time', half],
          ['most', most],
          ['at the end', end],
        ],
      ],
      [
        'Left over',
        [...Object.entries(extra.state), ['seconds until all was quiet', (extra.quietMs / 1000).toFixed(1)]],
      ],
    ],
  );
}

/** Without what differs from task to task. */
const reasonOf = (error: string) => error.replace(/: .*$/s, '').replace(/\d+/g, 'N').slice(0, 58);

test(
  `whatever agents, buyers, the network and kills do, every task ends and nothing is left (seed ${seed})`,
  async () => {
    console.log(`The chaos journey has begun; this one again: ${again}`);
    const journey = await run();
    const { stage, lastStart } = journey;
    const { repeated, late } = await repeatUnanswered(stage);
    const since = performance.now();
    const state = await awaitQuiet([server, second], isLong ? 180_000 : 60_000);
    const quietMs = performance.now() - since;
    const audit = await auditJourney(stage, late, lastStart);
    console.log(report(journey, audit, { quietMs, repeated, state }));
    const faults = [...stage.recorder.faults, ...audit.faults];
    if (faults.length > 0) console.error(`${faults.join('\n')}\n${server.log().slice(-4000)}`);
    expect(faults, again).toEqual([]);
    expect(
      Object.entries(state).filter(([, count]) => count !== 0),
      again,
    ).toEqual([]);
    expect(audit.stored.length).toBeGreaterThanOrEqual(tasks);
    // Chaos that lets nothing through would show nothing.
    const completed = audit.stored.filter(({ status }) => status === 'completed').length;
    expect(completed, again).toBeGreaterThan(tasks / 10);
    const ways = isLong ? ['seller_silent', 'reassessment', 'operator', 'operator_silent'] : [];
    expect([...audit.courts.by], again).toEqual(expect.arrayContaining(ways));
    expect(audit.courts.appeals.length * audit.courts.ends.length, again).toBeGreaterThan(0);
    const { half, end } = memoryOf(journey);
    expect(end, `megabytes at the end, from ${half} at half-time; ${again}`).toBeLessThan(half * 1.5 + 64);
    expect(await server.command('verify-ledger'), again).toMatchObject({ code: 0 });
    expect(await second.end('SIGTERM'), again).toBe(0);
    expect(await server.end('SIGTERM'), again).toBe(0);
    expect(
      Object.entries(summed([server, second].map(leftOnHost))).filter(([, count]) => count !== 0),
      again,
    ).toEqual([]);
  },
  isLong ? 1_800_000 : 240_000,
);
