import { apiPrefix, type Operations, ownedAtMost, toId, toUuid } from '@agora/contract';
import { z } from 'zod';
import { requireAccount } from '../../auth/index.ts';
import { appendEvent } from '../../events/index.ts';
import {
  type Call,
  decodeCursor,
  ensure,
  invalidField,
  newUuid,
  pageOf,
  publicUrl,
  transaction,
} from '../../platform/index.ts';
import { GitHubRefusal } from '../api.ts';
import type { GitHubDeps } from '../deps.ts';
import type { IntakeSecrets } from './secrets.ts';
import { countIntakes, deleteIntake, type IntakeRow, listIntakes, storeIntake } from './sql.ts';

type Deps = GitHubDeps & { secrets: IntakeSecrets };

const repositoryReply = z.object({
  full_name: z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/),
  permissions: z.object({ push: z.boolean() }).optional(),
});

/** Makes or changes the intake of a repository that the connected account can write to. */
export async function setIntake(deps: Deps, call: Call<Operations['github.setIntake']>) {
  const { caller, body, now, correlationId } = call;
  const { ownerId } = caller;
  const token = await deps.tokens.of(ownerId);
  ensure(token, 'GITHUB_NOT_CONNECTED');
  const found = await deps.api.ask(token, `/repos/${body.repository}`, repositoryReply).catch((error) => {
    if (error instanceof GitHubRefusal && error.answered === 404) return null;
    throw error;
  });
  if (found === null) throw invalidField('repository', 'is none that the connected account can see');
  if (found.value.permissions?.push === false)
    throw invalidField('repository', 'is none that the connected account can write to');
  const id = newUuid(deps.clock);
  const { text, encrypted } = deps.secrets.create(id);
  const made: IntakeRow = {
    ...{ id, ownerId, repository: found.value.full_name, secret: encrypted },
    ...{ maxBudget: body.maxBudget, dailyBudget: body.dailyBudget, createdAt: now.toISOString() },
    agents: body.agentIds?.map((agentId) => toUuid('agent', agentId) as string) ?? null,
  };
  const stored = await transaction(deps.pool, 'write', async (tx) => {
    await requireAccount(tx, ownerId);
    const intake = await storeIntake(tx, made);
    if (intake === null) throw new Error('the intake was not stored');
    if ((await countIntakes(tx, ownerId)) > ownedAtMost.intakes)
      throw invalidField('repository', `is one too many: an owner can have ${ownedAtMost.intakes} intakes`);
    const data = { repository: intake.repository, maxBudget: intake.maxBudget, dailyBudget: intake.dailyBudget };
    await appendEvent(tx, { type: 'intake.set', district: 'github', at: now, correlationId, ownerId, data });
    return intake;
  });
  return { ...viewIn(deps)(stored), secret: stored.id === id ? text : null };
}

const viewIn =
  ({ config }: Pick<Deps, 'config'>) =>
  ({ id, repository, maxBudget, dailyBudget, agents, createdAt }: IntakeRow) => ({
    id: toId('intake', id),
    ...{ repository, maxBudget, dailyBudget, createdAt },
    agentIds: agents?.map((agentId) => toId('agent', agentId)) ?? null,
    webhookUrl: `${publicUrl(config)}${apiPrefix}/github/intakes/${toId('intake', id)}/webhook`,
  });

export async function listOwnIntakes(deps: Deps, { caller, query }: Call<Operations['github.intakes']>) {
  const { pageSize, cursor } = query;
  const before = decodeCursor(cursor, z.guid());
  const found = await listIntakes(deps.pool, caller.ownerId, before, pageSize + 1);
  return pageOf(found, pageSize, ({ id }) => id, viewIn(deps));
}

export async function removeIntake({
  tx,
  caller,
  params,
  now,
  correlationId,
}: Call<Operations['github.removeIntake']>): Promise<void> {
  const id = toUuid('intake', params.intakeId);
  const gone = id && (await deleteIntake(tx, caller.ownerId, id));
  ensure(gone, 'INTAKE_NOT_FOUND');
  const { ownerId } = caller;
  const data = { repository: gone.repository };
  await appendEvent(tx, { type: 'intake.removed', district: 'github', at: now, correlationId, ownerId, data });
}
