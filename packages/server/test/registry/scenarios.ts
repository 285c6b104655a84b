import { setTimeout as sleep } from 'node:timers/promises';
import { mostTaskViews, toUuid } from '@agora-market/contract';
import { anything } from '../api/policy.ts';
import type { World } from '../api/requests.ts';
import { hire, hireAndPass, hireAndStart, minute } from '../api/scene.ts';
import { noBudget } from '../exchange/scene.ts';
import { fillAgent, toWait } from './full-agent.ts';
import { at, bearer, json, type Scenarios, type Surroundings } from './scenario.ts';
import { artifactScenarios, unclonable } from './scenarios-artifacts.ts';
import { assignmentScenarios } from './scenarios-assignments.ts';
import { signInScenarios, totpScenarios } from './scenarios-auth.ts';
import { deletionScenarios } from './scenarios-deletion.ts';
import { disputeScenarios } from './scenarios-disputes.ts';
import { dryRunScenarios } from './scenarios-dry-runs.ts';
import { embassyScenarios } from './scenarios-embassy.ts';
import { exchangeScenarios } from './scenarios-exchange.ts';
import { githubScenarios } from './scenarios-github.ts';
import { messageScenarios } from './scenarios-messages.ts';
import { paymentScenarios, unverify } from './scenarios-payments.ts';
import { payoutScenarios } from './scenarios-payouts.ts';
import { progressScenarios } from './scenarios-progress.ts';
import { reconciliationScenarios } from './scenarios-reconciliation.ts';
import { refundScenarios } from './scenarios-refunds.ts';
import { pausedExec, sandboxWorkScenarios, withManyCommands } from './scenarios-sandbox.ts';
import { scheduleScenarios } from './scenarios-schedules.ts';
import { statementScenarios } from './scenarios-statements.ts';
import { trustScenarios } from './scenarios-trust.ts';
import { vaultScenarios } from './scenarios-vault.ts';
import { budgetScenarios, walletScenarios } from './scenarios-wallets.ts';
import { webhookScenarios } from './scenarios-webhooks.ts';
import { fillStorage } from './storage.ts';

const agentAt = (id: string, verb: string) => at(`/agents/${id}/${verb}`);
const fullOwner = async ({ server }: World) => {
  const owner = await server.owner({ credits: 0 });
  const agents = [];
  for (let count = 0; count < 10; count++) agents.push(await owner.agent());
  return { owner, agents };
};

const submission = { taskType: 'general', maxBudget: 1, input: {} };
const tooLarge = { input: { code: 'x'.repeat(300_000) } };

/** Owners and agents submit under the same rules; `submitter` is who the request comes from, and whose pool pays. */
function hiring(submitter: 'owner' | 'agent') {
  const own = ({ pair }: World) => (submitter === 'owner' ? pair.buyer : pair.seller);
  const other = ({ pair }: World) => (submitter === 'owner' ? pair.seller : pair.buyer);
  return {
    INSUFFICIENT_CREDITS: async (world: World) => {
      const { id } = await other(world).agent();
      const spender = await own(world).agent();
      await own(world).agora.vault.setBudget(spender.id, noBudget);
      const headers = submitter === 'owner' ? bearer(own(world)).headers : { 'x-api-key': spender.key };
      return { headers, ...json({ ...submission, maxBudget: 900_000_000, agentId: id }) };
    },
    NO_AGENTS_AVAILABLE: async () => json({ ...submission, taskType: 'code_review' }),
    AGENT_NOT_FOUND: async () => json({ ...submission, agentId: 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs' }),
    HIRE_TARGET_NOT_ACTIVE: async (world: World) => {
      const { id } = await other(world).agent();
      await other(world).agora.agents.deactivate(id);
      return json({ ...submission, agentId: id });
    },
    SAME_OWNER: async (world: World) => json({ ...submission, agentId: (await own(world).agent()).id }),
    POLICY_DENIED: async (world: World) => {
      const { id, owner } = await other(world).agent();
      await owner.agora.embassy.setPolicy(id, { version: 0, ...anything, allowedCategories: [] });
      return json({ ...submission, agentId: id });
    },
    PLAN_REQUIRED: async ({ server }: World) => {
      const owner = await server.owner({ credits: 0 });
      const headers = submitter === 'owner' ? bearer(owner).headers : { 'x-api-key': (await owner.agent()).key };
      return { headers: headers as Record<string, string>, ...json({ ...submission, attempts: 5 }) };
    },
    QUEUE_LIMIT_REACHED: async (world: World, { withoutQueue: url }: Surroundings) => {
      await fillAgent(world);
      return { url, ...json(toWait) };
    },
    STORAGE_QUOTA_REACHED: async (world: World, { withLittleStorage: url }: Surroundings) => {
      await fillStorage(world, own(world));
      // Who has no room is looked up every two seconds.
      await sleep(2_500);
      return { url, ...json(submission) };
    },
    PAYLOAD_TOO_LARGE: async () => json({ ...submission, ...tooLarge }),
    SANDBOX_UNAVAILABLE: async (_world: World, { withoutSandboxes: url }: Surroundings) => ({
      url,
      ...json({ ...submission, input: { code: 'x' } }),
    }),
  };
}

const wrongState = (verb: string) => async (world: World) => at(`/tasks/${world.completed}/${verb}`);
const unavailable = (verb: string) => async (world: World, around: Surroundings) => ({
  ...at(`/tasks/${(await hireAndStart(world.pair)).id}/${verb}`),
  url: around.withoutSandboxes,
});
const noStorage = (verb: string) => async (world: World, around: Surroundings) => {
  const { id } = await hireAndStart(world.pair);
  await fillStorage(world, world.pair.seller);
  return { ...at(`/tasks/${id}/${verb}`), url: around.withLittleStorage };
};
const refusing = (verb: string) => async (world: World, around: Surroundings) => ({
  ...at(`/tasks/${(await hireAndStart(world.pair)).id}/${verb}`),
  url: around.withRefusingSandboxes,
});

/** A started task whose input has expired before its sandbox was opened. */
const expired = (verb: string) => async (world: World) => {
  const { id } = await hireAndStart(world.pair);
  await world.server.pool.query(`update tasks set input_expires_at = null where created_at = $1`, [
    world.server.clock.now(),
  ]);
  return at(`/tasks/${id}/${verb}`);
};

/** A started task whose agent had worked in a sandbox that ended by itself. */
const lost =
  (verb: string) =>
  async ({ pair, server }: World) => {
    const { id } = await hireAndStart(pair);
    await server.pool.query(
      `insert into sandboxes (id, task_id, agent_id, host, status, expires_at, created_at, worked_at)
       select gen_random_uuid(), id, agent_id, gen_random_uuid(), 'lost', $2, $2, $2 from tasks where id = $1`,
      [toUuid('task', id), server.clock.now()],
    );
    return at(`/tasks/${id}/${verb}`);
  };

/** What any start of a sandbox can end with, and what any use of it can. */
const starts = (verb: string) => ({
  TASK_WRONG_STATE: wrongState(verb),
  STORAGE_QUOTA_REACHED: noStorage(verb),
  SANDBOX_UNAVAILABLE: unavailable(verb),
  INPUT_EXPIRED: expired(verb),
  REPOSITORY_UNAVAILABLE: unclonable(verb),
});
const files = (verb: string) => ({ ...starts(verb), SANDBOX_LOST: lost(verb) });

export const scenarios: Scenarios = {
  ...artifactScenarios,
  ...progressScenarios,
  ...trustScenarios,
  ...exchangeScenarios,
  ...deletionScenarios,
  ...dryRunScenarios,
  ...disputeScenarios,
  ...assignmentScenarios,
  ...scheduleScenarios,
  'tasks.saveView': {
    TASK_VIEW_LIMIT_REACHED: async ({ server }) => {
      const owner = await server.owner({ credits: 0 });
      for (let nth = 0; nth < mostTaskViews; nth++)
        await owner.agora.tasks.saveView({ name: `View ${nth}`, filter: {} });
      return { ...bearer(owner), ...json({ name: 'One more', filter: {} }) };
    },
  },
  'system.ready': { NOT_READY: async () => ({}) },
  'system.environments': { SANDBOX_UNAVAILABLE: async (_world, { withoutSandboxes: url }) => ({ url }) },
  ...signInScenarios,
  ...totpScenarios,
  'auth.verifyEmail': { MAILED_TOKEN_INVALID: async () => json({ token: 'ac_mail_x' }) },
  'auth.resendVerification': {
    WRONG_STATE: async ({ server }) => {
      const owner = await server.owner({ credits: 0 });
      await server.pool.query('update owners set email_verified_at = $2 where email = $1', [
        owner.email,
        server.clock.now(),
      ]);
      return bearer(owner);
    },
  },
  'auth.resetPassword': {
    MAILED_TOKEN_INVALID: async () => json({ token: 'ac_mail_x', password: 'correct horse' }),
  },
  'auth.endCredentials': { MAILED_TOKEN_INVALID: async () => json({ token: 'ac_mail_x' }) },
  'auth.changePassword': {
    INVALID_CREDENTIALS: async () => json({ currentPassword: 'wrong', newPassword: 'correct horse' }),
  },
  'auth.endSession': { SESSION_NOT_FOUND: async () => at('/auth/sessions/ses_01jxyz3k9mf5t8v2q7h4n6p0rs') },
  'auth.updateOwner': {
    OWNER_NOT_FOUND: async () => ({
      ...at('/owners/own_01jxyz3k9mf5t8v2q7h4n6p0rs'),
      ...json({ plan: 'pro', reason: 'x' }),
    }),
  },
  'auth.signOut': {
    WRONG_STATE: async ({ pair }) => bearer(await pair.buyer.agora.auth.createToken({ name: 'ci' })),
  },
  'auth.createToken': {
    EMAIL_NOT_VERIFIED: async ({ server }, { withVerification: url }) => {
      const owner = await server.owner({ credits: 0 });
      await unverify(server, owner);
      return { url, ...bearer(owner) };
    },
    TOKEN_LIMIT_REACHED: async ({ server }) => {
      const owner = await server.owner({ credits: 0 });
      for (let count = 0; count < 50; count++) await owner.agora.auth.createToken({ name: 'ci' });
      return bearer(owner);
    },
  },
  'agents.register': { AGENT_LIMIT_REACHED: async (world) => bearer((await fullOwner(world)).owner) },
  'agents.get': { AGENT_NOT_FOUND: async () => at('/agents/agt_01jxyz3k9mf5t8v2q7h4n6p0rs') },
  'operator.agent': { AGENT_NOT_FOUND: async () => at('/operator/agents/agt_01jxyz3k9mf5t8v2q7h4n6p0rs') },
  'operator.owner': { OWNER_NOT_FOUND: async () => at('/operator/owners/own_01jxyz3k9mf5t8v2q7h4n6p0rs') },
  'agents.reputation': { AGENT_NOT_FOUND: async () => at('/agents/agt_01jxyz3k9mf5t8v2q7h4n6p0rs/reputation') },
  'agents.failures': { AGENT_NOT_FOUND: async () => at('/agents/agt_01jxyz3k9mf5t8v2q7h4n6p0rs/failures') },
  'agents.update': { AGENT_NOT_FOUND: async () => at('/agents/agt_01jxyz3k9mf5t8v2q7h4n6p0rs') },
  'agents.deactivate': {
    AGENT_NOT_FOUND: async () => agentAt('agt_01jxyz3k9mf5t8v2q7h4n6p0rs', 'deactivate'),
    ALREADY_DEACTIVATED: async ({ pair }) => {
      const { id } = await pair.seller.agent();
      await pair.seller.agora.agents.deactivate(id);
      return agentAt(id, 'deactivate');
    },
  },
  'agents.reactivate': {
    AGENT_NOT_FOUND: async () => agentAt('agt_01jxyz3k9mf5t8v2q7h4n6p0rs', 'reactivate'),
    ALREADY_ACTIVE: async ({ pair }) => agentAt(pair.agent.id, 'reactivate'),
    AGENT_LIMIT_REACHED: async (world) => {
      const { owner, agents } = await fullOwner(world);
      const id = agents[0]?.id as string;
      await owner.agora.agents.deactivate(id);
      await owner.agent();
      return { ...agentAt(id, 'reactivate'), ...bearer(owner) };
    },
  },
  'agents.verifyMyModel': { MODEL_VERIFICATION_FAILED: async () => at('/agents/me/model/verify') },
  'agents.verifyModel': {
    AGENT_NOT_FOUND: async () => agentAt('agt_01jxyz3k9mf5t8v2q7h4n6p0rs', 'model/verify'),
    MODEL_VERIFICATION_FAILED: async ({ pair }) => agentAt((await pair.seller.agent()).id, 'model/verify'),
  },
  'agents.rotateKey': {
    AGENT_NOT_FOUND: async () => agentAt('agt_01jxyz3k9mf5t8v2q7h4n6p0rs', 'rotate-key'),
  },
  ...vaultScenarios,
  ...walletScenarios,
  ...statementScenarios,
  ...reconciliationScenarios,
  ...paymentScenarios,
  ...refundScenarios,
  ...payoutScenarios,
  ...embassyScenarios,
  'tasks.submit': {
    ...hiring('owner'),
    GITHUB_NOT_CONNECTED: async (_, { withGitHub: url, github }) => {
      const repo = { url: `${github.url}/octocat/alpha`, pullRequest: true };
      return { url, ...json({ ...submission, input: { repo } }) };
    },
  },
  'tasks.submitAsAgent': { ...hiring('agent'), ...budgetScenarios },
  'tasks.start': {
    TASK_WRONG_STATE: wrongState('executing'),
    SANDBOX_MISMATCH: async ({ pair }) => {
      const { id } = await hire(pair);
      await pair.agent.agora.sandbox.provision(id);
      return { ...at(`/tasks/${id}/executing`), ...json({ sandboxId: 'another' }) };
    },
    INPUT_EXPIRED: async ({ pair, server }) => {
      const { id } = await hire(pair);
      await server.pool.query(`update tasks set input_expires_at = null where status = 'submitted'`);
      return at(`/tasks/${id}/executing`);
    },
  },
  'tasks.complete': {
    TASK_WRONG_STATE: wrongState('complete'),
    PAYLOAD_TOO_LARGE: async () => json({ output: { result: 'x'.repeat(300_000) } }),
    SANDBOX_UNAVAILABLE: async ({ pair }, around) => {
      const { id } = await hireAndStart(pair);
      const headers = { 'x-api-key': pair.agent.key };
      // Opens the workspace, so that there is something to deliver.
      await fetch(`${around.withRefusingSandboxes}/api/v1/tasks/${id}/sandbox/files`, { headers });
      return { ...at(`/tasks/${id}/complete`), url: around.withRefusingSandboxes };
    },
    SANDBOX_LOST: lost('complete'),
  },
  'tasks.fail': { TASK_WRONG_STATE: wrongState('fail') },
  'tasks.feedback': {
    TASK_WRONG_STATE: async ({ executing }) => at(`/tasks/${executing}/feedback`),
    DUPLICATE: async ({ pair, server }) => {
      const { id } = await hireAndPass(pair);
      await pair.buyer.agora.tasks.feedback(id, { direction: 'up' });
      server.clock.advance(10 * minute + 1);
      return at(`/tasks/${id}/feedback`);
    },
  },
  ...messageScenarios,
  ...sandboxWorkScenarios(files),
  ...webhookScenarios,
  ...githubScenarios,
  'sandbox.provision': starts('sandbox/provision'),
  'sandbox.get': {
    SANDBOX_NOT_FOUND: async ({ pair }) => at(`/tasks/${(await hireAndStart(pair)).id}/sandbox`),
  },
  'sandbox.destroy': {
    SANDBOX_NOT_FOUND: async ({ pair }) => at(`/tasks/${(await hireAndStart(pair)).id}/sandbox/destroy`),
    SANDBOX_MISMATCH: async ({ pair }) => {
      const { id } = await hireAndStart(pair);
      await pair.agent.agora.sandbox.list(id);
      return at(`/tasks/${id}/sandbox/destroy`);
    },
  },
  'sandbox.list': {
    ...files('sandbox/files'),
    FILE_NOT_FOUND: async () => ({ query: '?path=missing' }),
    INVALID_PATH: async () => ({ query: '?path=..' }),
  },
  'sandbox.read': {
    ...files('sandbox/files/read'),
    FILE_NOT_FOUND: async () => ({ query: '?path=missing' }),
    INVALID_PATH: async () => ({ query: '?path=/workspace' }),
  },
  'sandbox.write': {
    ...files('sandbox/files/write'),
    INVALID_PATH: async () => json({ path: '../x', content: '' }),
    PAYLOAD_TOO_LARGE: async () => json({ path: 'x', content: 'x'.repeat(1024 * 1024) }),
  },
  'sandbox.exec': {
    ...files('sandbox/exec'),
    SANDBOX_PAUSED: pausedExec,
    PROCESS_LIMIT_REACHED: withManyCommands,
    INVALID_PATH: refusing('sandbox/exec'),
  },
};
