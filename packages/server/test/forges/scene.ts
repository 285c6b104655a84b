import { randomUUID } from 'node:crypto';
import type { Reply } from '@agora-market/sdk';
import { expect } from 'vitest';
import { goodOutput, makePair, type Pair, type SecondApp } from '../api/scene.ts';
import { type Message, partyAt, postTo, saidIn } from '../github/scene.ts';
import type { Forge, Ticket } from '../support/forge-state.ts';
import { giteaHooks, startGitea } from '../support/gitea.ts';
import { gitlabHooks, startGitLab } from '../support/gitlab.ts';
import type { TestServer } from '../support/harness.ts';

export const kinds = ['gitea', 'gitlab'] as const;
export type Kind = (typeof kinds)[number];

export const start = { gitea: startGitea, gitlab: startGitLab };
export const hooks = { gitea: giteaHooks, gitlab: gitlabHooks };

export type Intake = Reply<'github.setIntake'>;

/** A buyer who is connected at the forge with an intake of its repository, and an agent that it allows. */
export async function sceneAt(server: TestServer, second: SecondApp, kind: Kind, forge: Forge, fields: object = {}) {
  const pair = await makePair(server);
  const parties = { buyer: partyAt(second.url, pair.buyer), agent: partyAt(second.url, pair.agent) };
  return sceneOf(parties, () => second.url, kind, forge, fields);
}

/** The same of these parties, at a server that may listen elsewhere later. */
export async function sceneOf(
  { buyer, agent }: Pick<Pair, 'buyer' | 'agent'>,
  url: () => string,
  kind: Kind,
  forge: Forge,
  fields: object = {},
) {
  const place = { forge: kind, baseUrl: forge.url };
  await buyer.agora.github.connect({ ...place, token: forge.octocat.token });
  const intake = await buyer.agora.github.setIntake({
    ...{ ...place, repository: forge.state.repository, maxBudget: 2_000, dailyBudget: 10_000 },
    ...{ agentIds: [agent.id], ...fields },
  });
  const post = (to: string, message: Message) => postTo(url(), `intakes/${to}`, message);
  const hook = (id: string = randomUUID()) => ({ secret: intake.secret as string, id });
  return {
    ...{ buyer, agent, intake, place, post, hook },
    open: (title: string, more: Partial<Ticket> = {}) =>
      forge.state.open({ number: hooks[kind].nextNumber(forge, more.pull != null), title, ...more }),
    /** A comment at the forge, and what its webhook says. */
    comment(ticket: Ticket, text: string, by = forge.octocat, id?: string) {
      const said = forge.state.say(ticket, text, by);
      return hooks[kind].commented(forge, ticket, said, hook(id));
    },
    async ask(ticket: Ticket, text: string, by = forge.octocat) {
      expect(await post(intake.id, this.comment(ticket, text, by))).toBe(202);
    },
  };
}
export type Scene = Awaited<ReturnType<typeof sceneAt>>;

/** What this server has said at an issue. */
export const saidAt = ({ said }: Ticket): string[] => saidIn(said);

/** From what a forge has told to what it is told, one step of each. */
export async function workAt({ app }: Pick<SecondApp, 'app'>): Promise<void> {
  for (const job of ['forges.readRequest', 'forges.openPullRequests', 'forges.endRequests', 'forges.tellRequest'])
    await app.run(job);
}

export const newest = async ({ buyer }: Pick<Scene, 'buyer'>) =>
  (await buyer.agora.tasks.list({ pageSize: 1, include: 'content' })).data[0];

/** The agent changes its workspace so, and delivers. */
export async function deliver({ agent }: Pick<Scene, 'agent'>, id: string, words: string[]): Promise<void> {
  const { sandboxId } = (await agent.agora.sandbox.provision(id)).data;
  await agent.agora.tasks.start(id, { sandboxId });
  const { data } = await agent.agora.sandbox.exec(id, { command: words.join(' && ') });
  expect(data).toMatchObject({ exitCode: 0 });
  await agent.agora.tasks.complete(id, { output: goodOutput });
}
