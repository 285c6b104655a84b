import { useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { agentNameQuery } from '../../api/agent-names.ts';
import { queryClient } from '../../api/client.ts';

const restsMs = 250;

/** Names of the agents of the rows in sight, by id. They are asked for when the scrolling rests, all in one request. */
export function useAgentNames(rows: readonly { agentId: string | null }[]): Map<string, string> {
  const inSight = [...new Set(rows.flatMap(({ agentId }) => agentId ?? []))];
  const wanted = inSight.join();
  const [asked, setAsked] = useState<string[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted === '' ? [] : wanted.split(',')), restsMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  useQueries({ queries: asked.map(agentNameQuery) });
  // Known ones are shown while it scrolls. An agent that is not there any more keeps its id.
  return new Map(
    inSight.flatMap((id) => {
      const name = queryClient.getQueryData(agentNameQuery(id).queryKey);
      return name === undefined ? [] : [[id, name ?? id] as const];
    }),
  );
}
