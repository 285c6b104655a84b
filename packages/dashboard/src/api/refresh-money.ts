import { queryClient } from './query-client.ts';

/** Has every page ask again for what it shows of balances and movements. */
export function refreshMoney(): void {
  for (const district of ['vault', 'overview']) void queryClient.invalidateQueries({ queryKey: [district] });
}
