import { type ListTasksRequest, type ListTasksResponse, TaskState } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { AgoraError } from '@agora-market/sdk';
import { type Desk, find, lengthOf, listed } from './desk.ts';
import { briefOf, outputOf, type Standing, statusMessage, statusOf, taskOf } from './view.ts';

/** Tasks of one call of the API, and of a page with artifacts: each may have 256 KiB of output. */
const apiPageSize = 20;
/** Calls that one page makes at most; where few tasks are of the state that is asked for, it has fewer, and a token. */
const mostPages = 5;
/** Tasks of a page, as the standard has it. */
const pageSizes = { usual: 50, most: 100 } as const;

/** A place in the list of the API: the cursor of a page, and how many of its tasks were seen. */
interface Place {
  cursor: string | null;
  seen: number;
}

/** The caller's tasks at this address, newest first. */
export async function listTasks(desk: Desk, request: ListTasksRequest): Promise<ListTasksResponse> {
  const historyLength = lengthOf(request.historyLength) ?? 0;
  const { pageSize = pageSizes.usual, includeArtifacts = false } = request;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > pageSizes.most) {
    throw new RequestMalformedError(`pageSize must be a whole number from 1 to ${pageSizes.most}.`);
  }
  const wanted = Math.min(pageSize, includeArtifacts ? apiPageSize : pageSizes.most);
  const { found, next } = request.contextId === '' ? await scan(desk, request, wanted) : await ofContext(desk, request);
  const tasks = found.map((standing) => {
    const { task } = standing;
    // What would take calls for each task is left to GetTask: messages, the change and files.
    return taskOf(standing, null, {
      artifacts: includeArtifacts && task !== null ? outputOf(task) : [],
      history: historyLength > 0 && task !== null ? [briefOf(standing, task)] : [],
    });
  });
  const nextPageToken = next === null ? '' : tokenOf(next);
  // The API does not count; at least so many there are.
  return { tasks, nextPageToken, pageSize, totalSize: tasks.length + (next === null ? 0 : 1) };
}

/** A context has one task. */
async function ofContext(desk: Desk, request: ListTasksRequest): Promise<{ found: Standing[]; next: null }> {
  try {
    const standing = await find(desk, request.contextId);
    return { found: isWanted(standing, request) ? [standing] : [], next: null };
  } catch (error) {
    const isNone = error instanceof TaskNotFoundError || (error instanceof AgoraError && (error.status ?? 500) < 500);
    if (!isNone) throw error;
    return { found: [], next: null };
  }
}

async function scan(desk: Desk, request: ListTasksRequest, wanted: number) {
  const { agora, options } = desk;
  const status = statusOf[request.status];
  const found: Standing[] = [];
  let { cursor, seen }: Place = placeOf(request.pageToken);
  for (let page = 0; page < mostPages; page++) {
    const query = {
      ...{ role: 'submitted' as const, include: 'content' as const, pageSize: apiPageSize },
      ...(status !== undefined && { status }),
      ...(cursor !== null && { cursor }),
    };
    const { data, pagination } = await agora.tasks.list(query, options);
    for (const task of data.slice(seen)) {
      if (found.length === wanted) return { found, next: { cursor, seen } };
      seen++;
      const standing = listed(desk, task);
      if (standing !== null && isWanted(standing, request)) found.push(standing);
    }
    if (pagination.nextCursor === null) return { found, next: null };
    cursor = pagination.nextCursor;
    seen = 0;
    if (found.length === wanted) break;
  }
  return { found, next: { cursor, seen } };
}

function isWanted(standing: Standing, { status, statusTimestampAfter }: ListTasksRequest): boolean {
  const { state, timestamp = '' } = statusMessage(standing, null);
  const isOfState = status === TaskState.TASK_STATE_UNSPECIFIED || status === state;
  return isOfState && (statusTimestampAfter === undefined || Date.parse(timestamp) >= timeOf(statusTimestampAfter));
}

/** Milliseconds since 1970. */
function timeOf(given: string): number {
  const at = Date.parse(given);
  if (Number.isNaN(at)) throw new RequestMalformedError('statusTimestampAfter must be a time of ISO 8601.');
  return at;
}

const tokenOf = ({ cursor, seen }: Place): string => Buffer.from(JSON.stringify([cursor, seen])).toString('base64url');

function placeOf(token: string): Place {
  if (token === '') return { cursor: null, seen: 0 };
  try {
    const [cursor, seen] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [unknown, unknown];
    if ((cursor === null || typeof cursor === 'string') && Number.isSafeInteger(seen) && (seen as number) >= 0) {
      return { cursor, seen: seen as number };
    }
  } catch {
    // No token of ours.
  }
  throw new RequestMalformedError('pageToken must be the nextPageToken of another page.');
}
