import type { ForgeKind } from '@agora-market/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Choice, TextField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure, Note } from '../../ui/States.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { say } from '../../ui/toast.tsx';
import { Time } from '../../ui/Values.tsx';
import { type Account, accountsQuery, forgeChoices, hostOf, placeOf, refreshAccounts } from './forges.ts';
import { Intakes } from './Intakes.tsx';

interface Given {
  code: string | undefined;
  state: string | undefined;
  error: string | undefined;
}

const methodWords = { oauth: 'authorization', token: 'access token', app: 'GitHub App' };

const connected = ({ login }: { login: string | null }) => {
  void refreshAccounts();
  say(`Connected as ${login ?? 'the account of the token'}.`);
};

/** The accounts with which private repositories are cloned and pull requests opened, and the issues that become tasks. */
export function RepositoriesTab({ given }: { given: Given | null }) {
  const accounts = useQuery(accountsQuery);
  const finish = useFinish(given);
  const [leaving, setLeaving] = useState<Account | null>(null);
  return (
    <>
      <Section
        title="Connected accounts"
        lead="Tasks may then work on your private repositories and open pull requests. Agents never see the token."
        flush
      >
        {(finish.isPending || finish.wasRefused || finish.error !== null) && (
          <div className="grid gap-3 px-5 pb-4">
            {finish.isPending && <p role="status">Finishing the connection…</p>}
            {finish.wasRefused && (
              <Note kind="warn">Nothing was connected: the question at GitHub was answered with no.</Note>
            )}
            <Failure error={finish.error} />
          </div>
        )}
        <Table
          label="Connected accounts"
          columns={columnsFor(setLeaving)}
          rows={accounts.data}
          rowKey={hostOf}
          error={accounts.data ? undefined : accounts.error}
          retry={() => void accounts.refetch()}
          empty={<Empty title="No account is connected">Connect one below. Public repositories need none.</Empty>}
        />
      </Section>
      <Connect isFinishing={finish.isPending} />
      <Intakes accounts={accounts.data ?? []} />
      <Disconnect of={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

const columnsFor = (leave: (account: Account) => void): Column<Account>[] => [
  { id: 'host', header: 'Where', heads: true, sort: hostOf, cell: hostOf },
  {
    id: 'login',
    header: 'Account',
    name: true,
    sort: ({ login }) => login,
    cell: ({ login }) => <bdi>{login}</bdi>,
  },
  { id: 'method', header: 'By', wide: true, cell: ({ method }) => methodWords[method ?? 'token'] },
  {
    id: 'since',
    header: 'Since',
    wide: true,
    sort: ({ connectedAt }) => connectedAt,
    cell: ({ connectedAt }) => connectedAt && <Time at={connectedAt} />,
  },
  {
    id: 'leave',
    header: 'Action',
    right: true,
    cell: (account) => (
      <Button small aria-label={`Disconnect ${hostOf(account)}`} onClick={() => leave(account)}>
        Disconnect
      </Button>
    ),
  },
];

/** Completes what began at GitHub, once, and takes its traces out of the address. */
function useFinish(given: Given | null) {
  const navigate = useNavigate();
  const tried = useRef<string>(undefined);
  const [wasRefused, setWasRefused] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (grant: { code: string; state: string }) => agora.github.connect(grant),
    onSuccess: connected,
  });
  useEffect(() => {
    if (!given?.state || tried.current === given.state) return;
    tried.current = given.state;
    if (given.code) mutate({ code: given.code, state: given.state });
    else setWasRefused(true);
    void navigate({ to: '/settings', search: { tab: 'repositories' }, replace: true });
  }, [given, mutate, navigate]);
  return { isPending, error, wasRefused };
}

const tokenHints: Record<ForgeKind, string> = {
  github:
    'Fine-grained, with read access to the contents of the repositories; with write access to contents, issues and pull requests if tasks shall begin with issues and end with pull requests.',
  gitea: 'Made below Settings, Applications. It may write repository and issue, and read user.',
  gitlab: 'Made below Preferences, Access tokens, with the scope api.',
};

function Connect({ isFinishing }: { isFinishing: boolean }) {
  const [forge, setForge] = useState<ForgeKind>('github');
  const [baseUrl, setBaseUrl] = useState('');
  const [token, setToken] = useState('');
  const authorize = useMutation({
    mutationFn: () => agora.github.authorize(),
    onSuccess: ({ url }) => location.assign(url),
  });
  const connect = useMutation({
    mutationFn: () => agora.github.connect({ ...placeOf({ forge, baseUrl }), token }),
    onSuccess: (account) => {
      setToken('');
      setBaseUrl('');
      connected(account);
    },
  });
  const errors = fieldErrors(connect.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!connect.isPending) connect.mutate();
  };
  return (
    <Section title="Connect an account">
      <form onSubmit={submit} className="grid max-w-xl gap-4">
        <Choice
          label="Your repositories are at"
          className="sm:max-w-xs"
          value={forge}
          onChange={(event) => {
            setForge(event.target.value as ForgeKind);
            connect.reset();
          }}
          options={forgeChoices}
        />
        {forge === 'github' ? (
          <div className="grid justify-items-start gap-3">
            <Button kind="primary" busy={authorize.isPending || isFinishing} onClick={() => authorize.mutate()}>
              Connect at GitHub
            </Button>
            <Failure error={authorize.error} />
          </div>
        ) : (
          <TextField
            label="Address"
            type="url"
            required={forge === 'gitea'}
            optional={forge === 'gitlab'}
            maxLength={300}
            placeholder={forge === 'gitea' ? 'https://codeberg.org' : 'https://gitlab.com'}
            value={baseUrl}
            onChange={(event) => setBaseUrl(event.target.value.trim())}
            error={errors.baseUrl}
          />
        )}
        <TextField
          label={forge === 'github' ? 'Or a personal access token' : 'Access token'}
          hint={`${tokenHints[forge]} It is kept encrypted, and never shown again.`}
          type="password"
          name="forge-token"
          autoComplete="off"
          required
          maxLength={500}
          value={token}
          onChange={(event) => setToken(event.target.value.trim())}
          error={errors.token}
        />
        <Failure error={Object.keys(errors).length > 0 ? null : connect.error} />
        <div>
          <Button type="submit" kind={forge === 'github' ? 'plain' : 'primary'} busy={connect.isPending}>
            Connect with the token
          </Button>
        </div>
      </form>
    </Section>
  );
}

function Disconnect({ of, onClose }: { of: Account | null; onClose: () => void }) {
  const disconnect = useMutation({
    mutationFn: (account: Account) => agora.github.disconnect(placeOf(account)),
    onSuccess: async () => {
      await refreshAccounts();
      onClose();
      say('The token is forgotten.');
    },
  });
  return (
    <Confirm
      title="Disconnect this account?"
      open={of !== null}
      onClose={onClose}
      verb="Disconnect"
      danger
      busy={disconnect.isPending}
      error={disconnect.error}
      onConfirm={() => of && disconnect.mutate(of)}
    >
      <p>
        Agora forgets the token of <bdi className="font-medium">{of?.login}</bdi> at {of && hostOf(of)}. Tasks can no
        longer clone its private repositories or open pull requests there, and its issues become no tasks.
      </p>
      <p className="text-small text-soft">Revoke the token there too, if nothing else uses it.</p>
    </Confirm>
  );
}
