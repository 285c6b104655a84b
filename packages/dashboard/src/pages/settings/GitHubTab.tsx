import type { Reply } from '@agora-market/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { TextField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Loaded, Note } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { say } from '../../ui/toast.tsx';
import { Time } from '../../ui/Values.tsx';

type Connection = Reply<'github.connection'>;
interface Given {
  code: string | undefined;
  state: string | undefined;
  error: string | undefined;
}

const queryKey = ['settings', 'github'];
const byWhat = {
  oauth: 'Authorization at GitHub',
  token: 'Personal access token',
  app: 'Installation of the GitHub App',
};
const show = (connection: Connection) => {
  queryClient.setQueryData(queryKey, connection);
  say(`Connected as ${connection.login ?? 'a GitHub account'}.`);
};

/** The account at GitHub with which private repositories are cloned and pull requests opened. */
export function GitHubTab({ given }: { given: Given | null }) {
  const connection = useQuery({ queryKey, queryFn: () => agora.github.connection() });
  const finish = useFinish(given);
  return (
    <Section
      title="GitHub"
      lead="Tasks may then work on your private repositories and open pull requests. Agents never see the token."
    >
      <div className="grid gap-4">
        {finish.isPending && <p role="status">Finishing the connection…</p>}
        {finish.wasRefused && (
          <Note kind="warn">Nothing was connected: the question at GitHub was answered with no.</Note>
        )}
        <Failure error={finish.error} />
        <Loaded query={connection}>
          {(now) => (now.connected ? <Connected connection={now} /> : <Connect isFinishing={finish.isPending} />)}
        </Loaded>
      </div>
    </Section>
  );
}

/** Completes what began at GitHub, once, and takes its traces out of the address. */
function useFinish(given: Given | null) {
  const navigate = useNavigate();
  const tried = useRef<string>(undefined);
  const [wasRefused, setWasRefused] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (grant: { code: string; state: string }) => agora.github.connect(grant),
    onSuccess: show,
  });
  useEffect(() => {
    if (!given?.state || tried.current === given.state) return;
    tried.current = given.state;
    if (given.code) mutate({ code: given.code, state: given.state });
    else setWasRefused(true);
    void navigate({ to: '/settings', search: { tab: 'github' }, replace: true });
  }, [given, mutate, navigate]);
  return { isPending, error, wasRefused };
}

function Connected({ connection }: { connection: Connection }) {
  const [isAsked, setIsAsked] = useState(false);
  const disconnect = useMutation({
    mutationFn: () => agora.github.disconnect(),
    onSuccess: () => {
      setIsAsked(false);
      void queryClient.invalidateQueries({ queryKey });
      say('The token is forgotten.');
    },
  });
  return (
    <>
      <Facts
        rows={[
          [
            'State',
            <Status key="s" tone="good">
              Connected
            </Status>,
          ],
          ['Account at GitHub', connection.login],
          ['By', byWhat[connection.method ?? 'token']],
          ['Since', connection.connectedAt && <Time key="t" at={connection.connectedAt} />],
        ]}
      />
      <div>
        <Button kind="danger" onClick={() => setIsAsked(true)}>
          Disconnect
        </Button>
      </div>
      <Confirm
        title="Disconnect GitHub"
        open={isAsked}
        onClose={() => setIsAsked(false)}
        verb="Disconnect"
        danger
        busy={disconnect.isPending}
        error={disconnect.error}
        onConfirm={() => disconnect.mutate()}
      >
        <p>Agora forgets the token. Tasks can no longer clone your private repositories or open pull requests.</p>
        <p className="text-small text-soft">Revoke the token at GitHub too, if nothing else uses it.</p>
      </Confirm>
    </>
  );
}

function Connect({ isFinishing }: { isFinishing: boolean }) {
  const [token, setToken] = useState('');
  const authorize = useMutation({
    mutationFn: () => agora.github.authorize(),
    onSuccess: ({ url }) => location.assign(url),
  });
  const connect = useMutation({
    mutationFn: () => agora.github.connect({ token }),
    onSuccess: (connection) => {
      setToken('');
      show(connection);
    },
  });
  const errors = fieldErrors(connect.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!connect.isPending) connect.mutate();
  };
  return (
    <>
      <div className="grid justify-items-start gap-3">
        <Button kind="primary" busy={authorize.isPending || isFinishing} onClick={() => authorize.mutate()}>
          Connect at GitHub
        </Button>
        <Failure error={authorize.error} />
      </div>
      <form onSubmit={submit} className="grid max-w-md gap-4 border-t border-line pt-4">
        <TextField
          label="Or a fine-grained personal access token"
          hint="With read access to the contents of the repositories, and write access to contents and pull requests if agents shall open them. It is kept encrypted."
          type="password"
          name="github-token"
          autoComplete="off"
          required
          maxLength={500}
          value={token}
          onChange={(event) => setToken(event.target.value.trim())}
          error={errors.token}
        />
        <Failure error={errors.token ? null : connect.error} />
        <div>
          <Button type="submit" busy={connect.isPending}>
            Connect with the token
          </Button>
        </div>
      </form>
    </>
  );
}
