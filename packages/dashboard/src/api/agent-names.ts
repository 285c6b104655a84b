import { queryOptions, useQuery } from '@tanstack/react-query';
import { agora } from './client.ts';

/** The server names so many agents at once. */
const atOnce = 100;

let wanted: string[] = [];
let answers: Promise<Map<string, string>> | null = null;

/** Null where there is no such agent any more. Names that are wanted in one turn of the page are one request. */
async function nameOf(agentId: string): Promise<string | null> {
  wanted.push(agentId);
  answers ??= Promise.resolve().then(askNow);
  return (await answers).get(agentId) ?? null;
}

async function askNow(): Promise<Map<string, string>> {
  const ids = [...new Set(wanted)];
  wanted = [];
  answers = null;
  const parts = Array.from({ length: Math.ceil(ids.length / atOnce) }, (_, nth) =>
    agora.agents.names({ ids: ids.slice(nth * atOnce, (nth + 1) * atOnce).join(',') }),
  );
  const found = (await Promise.all(parts)).flatMap(({ data }) => data);
  return new Map(found.map(({ id, displayName }) => [id, displayName]));
}

/** The name of any agent. Names seldom change. */
export const agentNameQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agents', 'name', agentId],
    queryFn: () => nameOf(agentId),
    staleTime: 600_000,
  });

/** The name of an agent; undefined until it is known, or where there is no such agent any more. */
export const useAgentName = (agentId: string): string | undefined =>
  useQuery(agentNameQuery(agentId)).data ?? undefined;
