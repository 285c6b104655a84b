import type { Reply } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { date } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { MakeSecret } from '../../ui/MakeSecret.tsx';
import { Empty } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { say } from '../../ui/toast.tsx';
import { Code, Time } from '../../ui/Values.tsx';

type Token = Reply<'auth.listTokens'>['data'][number];

const tokensKey = ['developer', 'tokens'];
const refresh = () => queryClient.invalidateQueries({ queryKey: tokensKey });

const columns: Column<Token>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: ({ name }) => name,
    cell: ({ name, tokenPrefix }) => (
      <div className="grid justify-items-start gap-0.5">
        <bdi className="[overflow-wrap:anywhere]">{name}</bdi>
        <Code>{`${tokenPrefix}…`}</Code>
      </div>
    ),
  },
  {
    id: 'used',
    header: 'Last used',
    sort: ({ lastUsedAt }) => lastUsedAt,
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : <span className="text-faint">Never</span>),
  },
  {
    id: 'made',
    header: 'Made',
    sort: ({ createdAt }) => createdAt,
    wide: true,
    cell: ({ createdAt }) => date(createdAt),
  },
];

interface TokensProps {
  /** The one that was made since the page was opened. */
  token: string | undefined;
  onMade: (token: string) => void;
}

/** Developer tokens: each may do what the account may. */
export function Tokens({ token, onMade }: TokensProps) {
  const tokens = useRows(pagesOf(tokensKey, (cursor) => agora.auth.listTokens(cursor)));
  const [revoking, setRevoking] = useState<Token | null>(null);
  const create = useMutation({
    mutationFn: (name: string) => agora.auth.createToken({ name }),
    onSuccess: async (made) => {
      onMade(made.token);
      await refresh();
    },
  });
  return (
    <>
      <Section title="New token" lead="Whoever has it can do what you can, with your credits.">
        <div className="grid gap-4">
          <MakeSecret
            what="developer token"
            placeholder="My laptop"
            hint="Where you will use it, so that you know which to revoke."
            create={create}
            secret={token}
          />
          {token && (
            <ButtonLink to="/developer" search={{ tab: 'connect' }} className="justify-self-start">
              Use it: snippets with this token
            </ButtonLink>
          )}
        </div>
      </Section>
      <Section title="Your tokens" flush>
        <Table
          label="Developer tokens"
          columns={[
            ...columns,
            {
              id: 'revoke',
              header: 'Action',
              right: true,
              cell: (one) => (
                <Button small aria-label={`Revoke ${one.name}`} onClick={() => setRevoking(one)}>
                  Revoke
                </Button>
              ),
            },
          ]}
          rowKey={({ id }) => id}
          {...tableOf(tokens)}
          empty={
            <Empty title="No tokens">
              Make one for each program or machine; signing in on the command line makes one too.
            </Empty>
          }
        />
      </Section>
      <Revoke of={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

function Revoke({ of, onClose }: { of: Token | null; onClose: () => void }) {
  const revoke = useMutation({
    mutationFn: (token: Token) => agora.auth.revokeToken(token.id),
    onSuccess: async (_, token) => {
      await refresh();
      onClose();
      say(`The token ${token.name} is revoked.`);
    },
  });
  return (
    <Confirm
      title="Revoke this token?"
      open={of !== null}
      onClose={onClose}
      verb="Revoke token"
      danger
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => of && revoke.mutate(of)}
    >
      <p>
        <bdi className="font-medium">{of?.name}</bdi> <Code>{`${of?.tokenPrefix}…`}</Code> stops working at once, and
        cannot be brought back.
      </p>
    </Confirm>
  );
}
