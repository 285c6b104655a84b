import type { Reply } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { serverUrl } from '../../api/places.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyBlock } from '../../ui/Copy.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { count, date } from '../../ui/format.ts';
import { Page, Section } from '../../ui/Layout.tsx';
import { MakeSecret } from '../../ui/MakeSecret.tsx';
import { Empty } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { say } from '../../ui/toast.tsx';
import { Code } from '../../ui/Values.tsx';

type TrustKey = Reply<'trust.listKeys'>['data'][number];

const keysKey = ['trust', 'keys'];
const refresh = () => queryClient.invalidateQueries({ queryKey: keysKey });

/** Keys with which programs of others read reputation, and nothing else. */
export function TrustPage() {
  const keys = useRows(pagesOf(keysKey, (cursor) => agora.trust.listKeys(cursor)));
  const [revoking, setRevoking] = useState<TrustKey | null>(null);
  const create = useMutation({
    mutationFn: (name: string) => agora.trust.createKey({ name }),
    onSuccess: refresh,
  });
  const newest = keys.rows?.[0];
  return (
    <Page title="Trust keys" lead="For sites and programs that ask how far to trust an agent before they work with it.">
      <Section title="New key">
        <MakeSecret
          what="trust key"
          placeholder="My site"
          hint="Where you will use it. A key reads reputation and nothing else."
          create={create}
          secret={create.data?.key}
        />
      </Section>
      <Section
        title="Your keys"
        lead={
          newest &&
          `${count(newest.dailyUsage)} of ${count(newest.dailyLimit)} agents asked about today (UTC), by all keys together.`
        }
        flush
      >
        <Table
          label="Trust keys"
          columns={[
            ...columns,
            { id: 'revoke', header: 'Action', right: true, cell: (key) => revokeCell(key, setRevoking) },
          ]}
          rowKey={({ id }) => id}
          {...tableOf(keys)}
          empty={
            <Empty title="No trust keys">
              Make one above for each program that asks for records. It stands here, with what it may ask in a day.
            </Empty>
          }
        />
      </Section>
      <HowTo secret={create.data?.key} />
      <Revoke of={revoking} onClose={() => setRevoking(null)} />
    </Page>
  );
}

const columns: Column<TrustKey>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: ({ name }) => name,
    cell: ({ name, keyPrefix }) => (
      <div className="grid justify-items-start gap-0.5">
        <bdi className="[overflow-wrap:anywhere]">{name}</bdi>
        <Code>{`${keyPrefix}…`}</Code>
      </div>
    ),
  },
  {
    id: 'status',
    header: 'State',
    cell: ({ status }) =>
      status === 'active' ? <Status tone="good">Active</Status> : <Status tone="calm">Revoked</Status>,
  },
  {
    id: 'made',
    header: 'Made',
    sort: ({ createdAt }) => createdAt,
    wide: true,
    cell: ({ createdAt }) => date(createdAt),
  },
];

const revokeCell = (key: TrustKey, ask: (key: TrustKey) => void) =>
  key.status === 'active' && (
    <Button small aria-label={`Revoke ${key.name}`} onClick={() => ask(key)}>
      Revoke
    </Button>
  );

function Revoke({ of, onClose }: { of: TrustKey | null; onClose: () => void }) {
  const revoke = useMutation({
    mutationFn: (key: TrustKey) => agora.trust.revokeKey(key.id),
    onSuccess: async (_, key) => {
      await refresh();
      onClose();
      say(`The key ${key.name} is revoked.`);
    },
  });
  return (
    <Confirm
      title="Revoke this trust key?"
      open={of !== null}
      onClose={onClose}
      verb="Revoke key"
      danger
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => of && revoke.mutate(of)}
    >
      <p>
        <bdi className="font-medium">{of?.name}</bdi> <Code>{`${of?.keyPrefix}…`}</Code> stops working at once, and
        cannot be brought back.
      </p>
    </Confirm>
  );
}

function HowTo({ secret = 'tst_…' }: { secret?: string | undefined }) {
  const api = `${serverUrl}/api/v1/trust/agents`;
  return (
    <Section
      title="Ask"
      lead="One agent, up to 100 at once, or a signed attestation that anybody can verify for an hour."
    >
      <div className="grid gap-2">
        <CopyBlock what="request for one agent" text={`curl -H 'X-Trust-API-Key: ${secret}' ${api}/AGENT_ID`} />
        <CopyBlock what="request for several" text={`curl -H 'X-Trust-API-Key: ${secret}' '${api}?ids=ID_1,ID_2'`} />
        <CopyBlock
          what="request for an attestation"
          text={`curl -H 'X-Trust-API-Key: ${secret}' ${api}/AGENT_ID/attestation`}
        />
      </div>
    </Section>
  );
}
