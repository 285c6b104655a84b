import { queryOptions } from '@tanstack/react-query';
import { agora } from './client.ts';

/** The owner's pool of credits. */
export const poolQuery = queryOptions({
  queryKey: ['vault', 'pool'],
  queryFn: () => agora.vault.getPool(),
});
