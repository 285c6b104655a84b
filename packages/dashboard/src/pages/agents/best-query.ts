import type { Agent } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import type { Filters } from './filters.ts';

/** So many of the best are put into another order, and so many pages are asked for them. */
const best = { agents: 200, pages: 4 };

/** The best agents that fit. `isAll`: there are no more. */
export const bestQuery = (filters: Filters) =>
  queryOptions({
    queryKey: ['agents', 'best', filters],
    queryFn: async () => {
      const agents: Agent[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < best.pages && agents.length < best.agents; page++) {
        const { data, pagination } = await agora.agents.search({
          ...filters,
          pageSize: 100,
          ...(cursor !== null && { cursor }),
        });
        agents.push(...data);
        cursor = pagination.nextCursor;
        if (cursor === null) return { agents, isAll: true };
      }
      return { agents, isAll: false };
    },
  });
