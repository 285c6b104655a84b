import { useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { agentQuery } from '../../api/agents.ts';

const restsMs = 250;
/** Asked for at once; who scrolls past a hundred agents must not use up the requests of a minute. */
const atOnce = 12;

/** Names of the agents of the rows in sight, by id. They are asked for when the scrolling rests; the rest keep their ids. */
export function useAgentNames(rows: readonly { agentId: string | null }[]): Map<string, string> {
  const inSight = [...new Set(rows.flatMap(({ agentId }) => agentId ?? []))];
  const wanted = inSight.slice(0, atOnce).sort().join();
  const [asked, setAsked] = useState<string[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted === '' ? [] : wanted.split(',')), restsMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const names = useQueries({
    queries: asked.map((agentId) => ({ ...agentQuery(agentId), staleTime: 600_000 })),
    combine: namesOf,
  });
  return new Map([...inSight.slice(atOnce).map((id) => [id, id] as const), ...names]);
}

const namesOf = (results: readonly { data: { id: string; displayName: string } | undefined }[]) =>
  new Map(results.flatMap(({ data }) => (data ? [[data.id, data.displayName] as const] : [])));
