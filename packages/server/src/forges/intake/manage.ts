import { apiPrefix, type Operations, ownedAtMost, toId, toUuid } from '@agora-market/contract';
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
import { placeOf, rootOf } from '../access.ts';
import type { ForgeDeps } from '../deps.ts';
import type { IntakeSecrets } from './secrets.ts';
import { countIntakes, deleteIntake, type IntakeRow, listIntakes, storeIntake } from './sql.ts';

type Deps = ForgeDeps & { secrets: IntakeSecrets };

/** Makes or changes the intake of a repository that the connected account can write to. */
export async function setIntake(deps: Deps, call: Call<Operations['github.setIntake']>) {
  const { caller, body, now, correlationId } = call;
  const { ownerId } = caller;
  const place = placeOf(body, deps.config);
  const access = await deps.accesses.of(ownerId, place);
  ensure(access, 'GITHUB_NOT_CONNECTED');
  const found = await deps.forges[place.forge].find(access, body.repository);
  if (found === null) throw invalidField('repository', 'is none that the connected account can see');
  if (!found.canWrite) throw invalidField('repository', 'is none that the connected account can write to');
  const id = newUuid(deps.clock);
  const { text, encrypted } = deps.secrets.create(id);
  const made: IntakeRow = {
    ...{ id, ownerId, ...place, repository: found.fullName, secret: encrypted },
    ...{ maxBudget: body.maxBudget, dailyBudget: body.dailyBudget, createdAt: now.toISOString() },
    agents: body.agentIds?.map((agentId) => toUuid('agent', agentId) as string) ?? null,
  };
  const stored = await transaction(deps.pool, 'write', async (tx) => {
    await requireAccount(tx, ownerId, caller.credential);
    const intake = await storeIntake(tx, made);
    if (intake === null) throw new Error('the intake was not stored');
    if ((await countIntakes(tx, ownerId)) > ownedAtMost.intakes)
      throw invalidField('repository', `is one too many: an owner can have ${ownedAtMost.intakes} intakes`);
    const { forge, baseUrl } = place;
    const where = forge === 'github' ? {} : { forge, baseUrl };
    const data = {
      ...where,
      repository: intake.repository,
      maxBudget: intake.maxBudget,
      dailyBudget: intake.dailyBudget,
    };
    await appendEvent(tx, { type: 'intake.set', district: 'github', at: now, correlationId, ownerId, data });
    return intake;
  });
  const view = viewIn(deps)(stored);
  if (access.installation !== null)
    return { ...view, webhookUrl: `${publicUrl(deps.config)}${apiPrefix}/github/app/webhook`, secret: null };
  return { ...view, secret: stored.id === id ? text : null };
}

const viewIn =
  ({ config }: Pick<Deps, 'config'>) =>
  ({ id, forge, baseUrl, repository, maxBudget, dailyBudget, agents, createdAt }: IntakeRow) => ({
    ...{ id: toId('intake', id), forge, baseUrl: rootOf({ forge, baseUrl }, config) },
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
