import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import type { Filters } from './filters.ts';

/** How many agents there are of each kind among those that fit. */
export const facetsQuery = (filters: Filters) =>
  queryOptions({
    queryKey: ['agents', 'facets', filters],
    queryFn: () => agora.agents.searchFacets(filters),
    staleTime: 60_000,
    placeholderData: (before) => before,
  });

/** The filters but one. */
export const without = (filters: Filters, name: string): Filters =>
  Object.fromEntries(Object.entries(filters).filter(([one]) => one !== name)) as Filters;
