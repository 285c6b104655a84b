import { type ForgeKind, forgeKinds, forgeNames } from '@agora-market/contract';
import type { Reply } from '@agora-market/sdk';
import { queryOptions } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { pagesOf } from '../../api/pages.ts';
import { queryClient } from '../../api/query-client.ts';

export type Account = Reply<'github.connections'>['data'][number];
export type Intake = Reply<'github.intakes'>['data'][number];

const accountsKey = ['settings', 'accounts'];
const intakesKey = ['settings', 'intakes'];

/** An owner has 20 connections at most, which one page holds. */
export const accountsQuery = queryOptions({
  queryKey: accountsKey,
  queryFn: async () => (await agora.github.connections()).data,
});
export const intakesQuery = pagesOf(intakesKey, (cursor) => agora.github.intakes(cursor));

export const refreshAccounts = () => queryClient.invalidateQueries({ queryKey: accountsKey });
export const refreshIntakes = () => queryClient.invalidateQueries({ queryKey: intakesKey });

/** Forgejo answers as Gitea does. */
const nameOf = (forge: ForgeKind) => (forge === 'gitea' ? 'Gitea or Forgejo' : forgeNames[forge]);
export const forgeChoices = forgeKinds.map((forge) => [forge, nameOf(forge)] as const);

interface Place {
  forge: ForgeKind;
  baseUrl: string;
}

/** As the API takes it: the operator chooses the address of GitHub. */
export const placeOf = ({ forge, baseUrl }: Place) => ({
  forge,
  ...(forge !== 'github' && baseUrl !== '' && { baseUrl }),
});

/** Where the account or the repository is: `github.com`. */
export const hostOf = ({ baseUrl }: Place) => (URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl);
