import { type Operations, toUuid } from '@agora/contract';
import { z } from 'zod';
import { enqueue } from '../../jobs/index.ts';
import { type Call, ensure, newUuid, transaction } from '../../platform/index.ts';
import type { GitHubDeps } from '../deps.ts';
import { readRequestKind } from './kinds.ts';
import type { IntakeSecrets } from './secrets.ts';
import { findIntake, insertRequest } from './sql.ts';

/** The label that asks for a task. */
export const wantedLabel = 'agora';

/**
 * Takes what GitHub tells of a repository. Nothing is read before the signature was, and an unknown intake is answered as a
 * wrong signature is. Of the body only names and numbers are kept: what they stand for is asked of GitHub later.
 */
export async function receive(
  deps: GitHubDeps & { secrets: IntakeSecrets },
  { params, signed, now }: Call<Operations['github.intakeWebhook']>,
) {
  const { rawBody = '', headers = {} } = signed ?? {};
  const id = toUuid('intake', params.intakeId);
  const intake = id === null ? null : await findIntake(deps.pool, id);
  const isSigned = deps.secrets.isSigned(intake, rawBody, headers['x-hub-signature-256']);
  ensure(isSigned && intake !== null, 'WEBHOOK_SIGNATURE_INVALID');
  const delivery = deliveryId.safeParse(headers['x-github-delivery']);
  const asked = askedBy(headers['x-github-event'], rawBody);
  const isOurs = asked?.repository.toLowerCase() === intake.repository.toLowerCase();
  if (delivery.success && asked !== null && isOurs) {
    const { issue, commentId } = asked;
    const request = { id: newUuid(deps.clock), intakeId: intake.id, deliveryId: delivery.data, at: now };
    await transaction(deps.pool, 'write', async (tx) => {
      if (!(await insertRequest(tx, { ...request, issue, commentId }))) return;
      await enqueue(tx, deps.clock, readRequestKind, {
        key: request.id,
        payload: { requestId: request.id },
        at: now,
      });
    });
  }
  return { received: true as const };
}

const deliveryId = z.string().min(1).max(100);

const common = {
  repository: z.object({ full_name: z.string().max(300) }),
  issue: z.object({
    number: z
      .int()
      .min(1)
      .max(2 ** 31 - 1),
  }),
};
const labelled = z.object({
  ...common,
  action: z.literal('labeled'),
  label: z.object({ name: z.literal(wantedLabel) }),
});
const commented = z.object({
  ...common,
  action: z.literal('created'),
  comment: z.object({
    id: z.int().min(1),
    body: z.string().refine((text) => text.trimStart().startsWith('/agora')),
  }),
});

/** What a webhook asks for: a label was put on an issue, or a comment begins with the command. Null for all else. */
function askedBy(event: unknown, rawBody: string) {
  const schema = event === 'issues' ? labelled : event === 'issue_comment' ? commented : null;
  const found = schema?.safeParse(jsonOf(rawBody));
  if (!found?.success) return null;
  const { repository, issue } = found.data;
  const commentId = 'comment' in found.data ? found.data.comment.id : null;
  return { repository: repository.full_name, issue: issue.number, commentId };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
