import type { Task } from '@agora-market/sdk';
import { subHire } from '../../support/sub-hire.ts';
import { deed, dice, type Kind, type Performer, type Stage, sleep, tolerate, wantedFile } from './cast.ts';

type Behave = (stage: Stage, performer: Performer, task: Task) => Promise<void>;

const diceOf = ({ seed }: Stage, task: Task) => dice(seed, 'agent', String(task.input.description));

const start = async ({ agora }: Performer, task: Task, sandbox: boolean): Promise<void> => {
  const sandboxId = sandbox ? (await agora.sandbox.provision(task.id)).data.sandboxId : 'own';
  await agora.tasks.start(task.id, { sandboxId });
};

const exec = ({ agora }: Performer, task: Task, command: string) => agora.sandbox.exec(task.id, { command });

/** Does what was asked, in a sandbox only where the buyer looks for something there. */
async function deliver(stage: Stage, performer: Performer, task: Task): Promise<void> {
  const file = wantedFile(task);
  if (file !== null) {
    await exec(performer, task, `echo done > ${file}`);
    stage.worked.add(task.id);
  }
  await performer.agora.tasks.complete(task.id, { output: { result: `Done: ${task.id}` }, executionTimeMs: 1 });
}

const honest: Behave = async (stage, performer, task) => {
  await start(performer, task, wantedFile(task) !== null && diceOf(stage, task).yes(0.5));
  await deliver(stage, performer, task);
};

const vanisher: Behave = async (stage, performer, task) => {
  const random = diceOf(stage, task);
  await start(performer, task, random.yes(0.3));
  if (random.yes(0.3)) await exec(performer, task, 'sleep 1000 & echo gone > half.txt');
  deed(stage, 'vanished after the start');
};

const decliner: Behave = async (stage, { agora }, task) => {
  const random = diceOf(stage, task);
  await sleep(random.below(300));
  const declining = agora.tasks.decline(task.id, random.yes(0.5) ? { reason: 'No time.' } : {});
  // Some change their mind while they decline, or say it twice; one of the two is refused.
  const beside = random.below(3);
  if (beside === 0) void tolerate(agora.tasks.start(task.id, { sandboxId: 'own' }));
  if (beside === 1) void tolerate(agora.tasks.decline(task.id));
  await declining;
  deed(stage, 'declined');
};

const hanger: Behave = async (stage, performer, task) => {
  const random = diceOf(stage, task);
  await start(performer, task, true);
  const command = random.of(['sleep 1000', 'while :; do :; done', 'setsid sleep 1000 & cat /dev/zero > /dev/null']);
  const { data } = await exec(performer, task, command);
  if (data.timedOut) deed(stage, 'commands cut by their time');
  if (random.yes(0.5)) await performer.agora.tasks.complete(task.id, { output: { result: 'It took a while.' } });
};

/** Claims all and delivers nothing; where the buyer has a check it says that the file is there. */
const liar: Behave = async (stage, performer, task) => {
  const random = diceOf(stage, task);
  await start(performer, task, random.yes(0.2));
  const output = random.of([
    {},
    { result: 'TODO' },
    { error: 'out of tokens' },
    { result: "I'm sorry, but I cannot complete this task." },
    { result: String(task.input.description) },
  ]);
  const claimed = wantedFile(task) === null ? output : { result: 'All checks pass, the file is in the workspace.' };
  stage.lied.add(task.id);
  await performer.agora.tasks.complete(task.id, { output: claimed, qualityScore: 100 });
  deed(stage, 'lies delivered');
};

const floods = [
  'yes',
  'f() { f | f & }; f',
  'head -c 100000000 /dev/zero > big',
  'i=0; while :; do i=$((i+1)); : > "n$i"; done',
  'tail /dev/zero',
];

const flooder: Behave = async (stage, performer, task) => {
  const { agora } = performer;
  const random = diceOf(stage, task);
  const inSandbox = random.yes(0.6);
  await start(performer, task, inSandbox);
  if (inSandbox) {
    await tolerate(exec(performer, task, random.of(floods)));
    deed(stage, 'floods in a sandbox');
  } else if (random.yes(0.5)) {
    // Thirty notes a minute are taken.
    const note = (n: number) =>
      agora.tasks.progress(task.id, { percent: n, message: 'Nearly there.' }, { maxRetries: 0 });
    await Promise.all(Array.from({ length: 45 }, (_, n) => tolerate(note(n))));
    deed(stage, 'floods of progress notes');
  } else if (random.yes(0.3)) {
    // More than the limit of requests, which is counted a minute.
    await Promise.all(Array.from({ length: 400 }, () => tolerate(agora.agents.me({ maxRetries: 0 }))));
    deed(stage, 'floods of requests');
  }
  await tolerate(agora.tasks.complete(task.id, { output: { result: 'x'.repeat(300_000) } }, { maxRetries: 0 }));
  await agora.tasks.complete(task.id, { output: { result: 'x'.repeat(200_000) } });
};

/** Says everything twice at once. Whatever wins, it must be one. */
const doubler: Behave = async (stage, performer, task) => {
  const { agora } = performer;
  await Promise.allSettled([start(performer, task, false), start(performer, task, false)]);
  const output = (text: string) => ({ output: { result: `${text} ${task.id}` } });
  const second = diceOf(stage, task).yes(0.5)
    ? agora.tasks.complete(task.id, output('second'))
    : agora.tasks.fail(task.id, { reason: 'I also failed' });
  const both = await Promise.allSettled([agora.tasks.complete(task.id, output('first')), second]);
  const taken = both.filter(({ status }) => status === 'fulfilled').length;
  deed(stage, 'ends said twice at once');
  if (taken > 1) stage.recorder.fault(`task ${task.id} was ended twice by its agent`);
};

const subhirer: Behave = async (stage, performer, task) => {
  const { agora } = performer;
  await start(performer, task, false);
  const description = `A part of ${task.id}. Say that it is done.`;
  const body = { taskType: 'general' as const, maxBudget: 1000, input: { description } };
  const part = await subHire(agora, body);
  stage.acknowledged.set(part.id, { taskId: part.id, agora, maxBudget: 1000, told: {}, check: null });
  deed(stage, 'sub-hires');
  for (let looks = 0; looks < 6; looks++) {
    const { status } = await agora.tasks.get(part.id);
    if (['completed', 'failed'].includes(status)) break;
    await sleep(400);
  }
  await deliver(stage, performer, task);
};

const quitter: Behave = async (_, performer, task) => {
  await start(performer, task, false);
  await performer.agora.tasks.fail(task.id, { reason: 'Too hard', errorMessage: 'I gave up.' });
};

const nothing: Behave = async () => {};

export const behaviours: Record<Kind, Behave> = {
  honest,
  worker: nothing,
  idler: nothing,
  silent: nothing,
  vanisher,
  decliner,
  hanger,
  liar,
  flooder,
  doubler,
  subhirer,
  quitter,
};
