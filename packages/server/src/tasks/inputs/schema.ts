import { createHash } from 'node:crypto';
import { schemaFault } from '../../gate/index.ts';
import { createFairSemaphore, ensure, invalidField, type Tally } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';

/** Schemas that this process tries at once, each in a worker thread that may take seconds: one of an owner, owners take turns. */
const trying = createFairSemaphore(2, 1);
/** Schemas of one owner that may be tried or wait for it; more are refused for now. */
const maxUnderWay = 8;
/** Approximate size of a remembered schema. */
const faultBytes = 300;

interface SchemaDeps {
  cache: Pick<TaskDeps['cache'], 'schemas'>;
  underWay: Pick<TaskDeps['underWay'], 'schemas'>;
}

/**
 * Refuses a schema that no output can be checked against, so that a buyer learns of it before an agent works. Each
 * schema is tried once, so later tasks with the same schema do not wait.
 */
export async function checkSchema(
  { cache: { schemas }, underWay }: SchemaDeps,
  schema: Record<string, unknown>,
  ownerId: string,
): Promise<void> {
  const digest = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
  const known = schemas.get(digest);
  const fault =
    known === undefined ? await inTurn(underWay.schemas, ownerId, () => tryOut(schemas, schema, digest)) : known;
  if (fault !== null) throw invalidField('input.acceptance.schema', fault);
}

async function inTurn<R>(underWay: Tally, ownerId: string, work: () => Promise<R>): Promise<R> {
  const count = underWay.of(ownerId);
  const message = `${count} schemas of this owner are being checked. Submit this one again in a few seconds.`;
  ensure(count < maxUnderWay, 'RATE_LIMITED', message, { limit: maxUnderWay, retryAfter: 5 });
  const end = underWay.add(ownerId);
  try {
    return await trying(1, work, ownerId);
  } finally {
    end();
  }
}

/** An equal schema may have been tried while this one waited for its turn. */
async function tryOut(
  schemas: TaskDeps['cache']['schemas'],
  schema: Record<string, unknown>,
  digest: string,
): Promise<string | null> {
  const known = schemas.get(digest);
  if (known !== undefined) return known;
  const { fault, sure } = await schemaFault(schema);
  if (sure) schemas.set(digest, fault, faultBytes);
  return fault;
}
