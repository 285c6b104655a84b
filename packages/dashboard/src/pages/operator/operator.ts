import type { Agora } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';

const tokenKey = ['operator-token'];

/**
 * The operator's token. It is kept in this page's memory alone, beside what the owner has loaded, so a reload or the
 * end of the session forgets it.
 */
export const useToken = (): string | null =>
  useQuery<string | null>({
    queryKey: tokenKey,
    queryFn: () => null,
    enabled: false,
    initialData: null,
    gcTime: Number.POSITIVE_INFINITY,
  }).data;

export const keepToken = (token: string): void => void queryClient.setQueryData(tokenKey, token);

/** Forgets the token and everything that was read with it. */
export function forgetToken(): void {
  queryClient.setQueryData(tokenKey, null);
  queryClient.removeQueries({ queryKey: ['operator'] });
}

export const asOperator = (operatorToken: string): Agora => agora.withOptions({ operatorToken });

export const OperatorContext = createContext<Agora>(agora);

/** The API with the operator's token. */
export const useOperator = (): Agora => useContext(OperatorContext);
