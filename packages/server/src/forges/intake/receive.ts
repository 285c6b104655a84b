import { type Operations, toUuid } from '@agora-market/contract';
import { enqueue } from '../../jobs/index.ts';
import { type Call, ensure, newUuid, transaction } from '../../platform/index.ts';
import type { ForgeDeps } from '../deps.ts';
import type { Delivery, Told } from '../forge.ts';
import { installationOf } from '../github/github.ts';
import { readRequestKind } from './kinds.ts';
import type { IntakeSecrets } from './secrets.ts';
import { findIntake, findIntakeOfInstallation, type IntakeRow, insertRequest } from './sql.ts';

const received = { received: true as const };
const deliveryOf = ({ rawBody = '', headers = {} }: Partial<Delivery> = {}): Delivery => ({ rawBody, headers });

/**
 * Takes what a forge tells of a repository. Nothing is read before the signature was, and an unknown intake is answered as
 * a wrong signature is. Of the body only names and numbers are kept: what they stand for, the forge is asked later.
 */
export async function receive(
  deps: ForgeDeps & { secrets: IntakeSecrets },
  { params, signed, now }: Call<Operations['github.intakeWebhook']>,
) {
  const delivery = deliveryOf(signed);
  const id = toUuid('intake', params.intakeId);
  const intake = id === null ? null : await findIntake(deps.pool, id);
  const forge = deps.forges[intake?.forge ?? 'github'];
  const isSigned = deps.secrets.isSigned(intake, forge, delivery);
  ensure(isSigned && intake !== null, 'WEBHOOK_SIGNATURE_INVALID');
  const told = forge.read(delivery);
  const isOurs = told?.repository.toLowerCase() === intake.repository.toLowerCase();
  if (told !== null && isOurs) await keep(deps, intake, told, now);
  return received;
}

/** Takes what GitHub tells the operator's App, for the owner that has connected the installation. */
export async function receiveForApp(deps: ForgeDeps, { signed, now }: Call<Operations['github.appWebhook']>) {
  const delivery = deliveryOf(signed);
  ensure(deps.app?.isSigned(delivery) === true, 'WEBHOOK_SIGNATURE_INVALID');
  const told = deps.forges.github.read(delivery);
  const installation = told && installationOf(delivery);
  const intake = installation && (await findIntakeOfInstallation(deps.pool, installation, told.repository));
  if (intake) await keep(deps, intake, told, now);
  return received;
}

const keep = (deps: ForgeDeps, intake: IntakeRow, { deliveryId, spot, comment }: Told, now: Date): Promise<void> =>
  transaction(deps.pool, 'write', async (tx) => {
    const request = { id: newUuid(deps.clock), intakeId: intake.id, deliveryId, ...spot, comment, at: now };
    if (!(await insertRequest(tx, request))) return;
    await enqueue(tx, deps.clock, readRequestKind, {
      key: request.id,
      payload: { requestId: request.id },
      at: now,
    });
  });
