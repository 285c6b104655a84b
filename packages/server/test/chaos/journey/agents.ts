import { createWorker, type Work } from '@agora-market/sdk/worker';
import { behaviours } from './behaviours.ts';
import { deed, type Performer, type Stage, sleep, tolerate, wantedFile } from './cast.ts';
import { attendCourts } from './courts.ts';

/** Agents that work, and all who have to do with the courts, until the signal fires, whatever happens to the server. */
export async function perform(stage: Stage, signal: AbortSignal): Promise<void> {
  const keepers = stage.sellers.map((owner) => reactivate(stage, owner, signal));
  const agents = stage.performers.map((performer) =>
    performer.kind === 'worker' ? workOn(stage, performer, signal) : attend(stage, performer, signal),
  );
  await Promise.all([...keepers, ...agents, attendCourts(stage, signal)]);
}

async function workOn(stage: Stage, { agora }: Performer, signal: AbortSignal): Promise<void> {
  const handle = async ({ task, sandbox }: Work) => {
    const file = wantedFile(task);
    if (file !== null) await sandbox.exec(`mkdir -p output; echo done > ${file}; cp ${file} output/`);
    if (file !== null) stage.worked.add(task.id);
    return { result: `Done with the sandbox: ${task.id}` };
  };
  while (!signal.aborted) {
    const worker = createWorker({ agora, handle, concurrency: 2, waitSeconds: 5, graceMs: 500, onError: () => {} });
    // A suspended agent is refused until its owner has brought it back.
    await tolerate(worker.run({ signal }));
    await sleep(300, signal);
  }
}

async function attend(stage: Stage, performer: Performer, signal: AbortSignal): Promise<void> {
  const known = new Set<string>();
  const running = new Set<Promise<void>>();
  const behave = behaviours[performer.kind];
  while (!signal.aborted) {
    await tolerate(
      performer.agora.tasks.assigned({ wait: 5, pageSize: 50 }, { signal }).then(({ data }) => {
        for (const task of data.filter(({ id }) => !known.has(id))) {
          known.add(task.id);
          const work = tolerate(behave(stage, performer, task)).catch((error) => {
            stage.recorder.fault(`an agent of kind ${performer.kind} met ${error?.stack ?? error}`);
          });
          running.add(work);
          void work.finally(() => running.delete(work));
        }
      }),
    );
    // Tasks that are left lying make the long poll answer at once.
    await sleep(performer.kind === 'silent' ? 8_000 : 400, signal);
  }
  await Promise.all(running);
}

/** Three failures in a row suspend an agent; an owner who wants chaos brings it back. */
async function reactivate(stage: Stage, { agora }: { agora: Performer['agora'] }, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await tolerate(
      agora.agents.listOwn({ pageSize: 100 }, { signal }).then(async ({ data }) => {
        for (const agent of data.filter(({ status }) => status === 'suspended')) {
          await tolerate(agora.agents.reactivate(agent.id));
          deed(stage, 'agents reactivated');
        }
      }),
    );
    await sleep(800, signal);
  }
}
