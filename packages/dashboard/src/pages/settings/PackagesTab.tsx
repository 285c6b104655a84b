import { type PackageRegistryKind, packageRegistryKinds } from '@agora-market/contract';
import type { ItemOf } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button, TextAnchor } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Choice, TextArea, TextField } from '../../ui/Field.tsx';
import { fieldErrors } from '../../ui/form.ts';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { say } from '../../ui/toast.tsx';
import { Time } from '../../ui/Values.tsx';

type Registry = ItemOf<'packageRegistries.list'>;

const queryKey = ['settings', 'package-registries'];
const registriesQuery = pagesOf<Registry>(queryKey, (cursor) => agora.packageRegistries.list(cursor));
const refresh = () => queryClient.invalidateQueries({ queryKey });

const kindWords: Record<PackageRegistryKind, string> = {
  npm: 'npm (JavaScript)',
  pypi: 'PyPI (Python)',
  go: 'Go modules',
  cargo: 'Cargo (Rust)',
  gem: 'RubyGems',
  composer: 'Composer (PHP)',
  maven: 'Maven (Java)',
};

/** The form as it is typed; the token is not a part of it, for it is never filled in. */
interface Typed {
  kind: PackageRegistryKind;
  url: string;
  username: string;
  packages: string;
}
const nothing: Typed = { kind: 'npm', url: '', username: '', packages: '' };

const typedOf = ({ kind, url, username, packages }: Registry): Typed => ({
  ...{ kind, url, username: username ?? '', packages: packages.join('\n') },
});

/** Private registries that the packages of the owner's tasks come from. */
export function PackagesTab() {
  const query = useRows(registriesQuery);
  const [removing, setRemoving] = useState<Registry | null>(null);
  // Each press of a row's button begins the form anew, without what was typed or refused before.
  const [begun, setBegun] = useState({ typed: nothing, presses: 0 });
  const columns = useMemo(() => {
    const replace = (registry: Registry) =>
      setBegun(({ presses }) => ({ typed: typedOf(registry), presses: presses + 1 }));
    return columnsOf({ replace, remove: setRemoving });
  }, []);
  return (
    <>
      <Section
        title="Private package registries"
        lead="What your lockfiles name is fetched from them, for your tasks alone. No agent and no sandbox sees a token."
        flush
      >
        <Table
          label="Private package registries"
          columns={columns}
          rowKey={({ kind, url }) => `${kind} ${url}`}
          {...tableOf(query)}
          empty={
            <Empty title="No registries">
              Public packages need none. If a project takes packages of a registry of your own, as GitHub Packages,
              GitLab or Artifactory, add it below, and its tests run. Programs do it over the{' '}
              <TextAnchor href="docs">API</TextAnchor>.
            </Empty>
          }
        />
      </Section>
      <RegistryForm key={begun.presses} begun={begun.typed} takesFocus={begun.presses > 0} stored={query.rows ?? []} />
      <Remove of={removing} onClose={() => setRemoving(null)} />
    </>
  );
}

interface Actions {
  replace: (registry: Registry) => void;
  remove: (registry: Registry) => void;
}

const columnsOf = ({ replace, remove }: Actions): Column<Registry>[] => [
  {
    id: 'registry',
    header: 'Registry',
    cell: ({ kind, url, username }) => (
      <>
        <bdi className="font-medium [overflow-wrap:anywhere]">{url}</bdi>
        <span className="block text-faint [overflow-wrap:anywhere]">
          {kindWords[kind]}
          {username !== null && (
            <>
              , as <bdi>{username}</bdi>
            </>
          )}
        </span>
      </>
    ),
  },
  {
    id: 'packages',
    header: 'Packages',
    wide: true,
    cell: ({ packages }) =>
      packages.length === 0 ? (
        <span className="text-faint">As lockfiles say</span>
      ) : (
        <bdi className="[overflow-wrap:anywhere]">{packages.join(', ')}</bdi>
      ),
  },
  {
    id: 'stored',
    header: 'Stored',
    sort: ({ updatedAt }) => updatedAt,
    wide: true,
    cell: ({ updatedAt }) => <Time at={updatedAt} />,
  },
  {
    id: 'actions',
    header: 'Action',
    right: true,
    cell: (registry) => (
      <span className="-my-1.5 -mr-2 flex flex-wrap justify-end">
        <Button kind="quiet" aria-label={`Replace the token of ${registry.url}`} onClick={() => replace(registry)}>
          Replace
        </Button>
        <Button kind="quiet" aria-label={`Remove ${registry.url}`} onClick={() => remove(registry)}>
          Remove
        </Button>
      </span>
    ),
  },
];

interface FormProps {
  begun: Typed;
  /** Where only the token is missing, it has the focus. */
  takesFocus: boolean;
  stored: readonly Registry[];
}

/** Stores a registry, in place of the one of its kind and address. */
function RegistryForm({ begun, takesFocus, stored }: FormProps) {
  const [typed, setTyped] = useState(begun);
  const [token, setToken] = useState('');
  const change = (part: Partial<Typed>) => setTyped((before) => ({ ...before, ...part }));
  const isStored = stored.some(({ kind, url }) => kind === typed.kind && url === typed.url.replace(/\/+$/, ''));
  const store = useMutation({
    mutationFn: ({ username, packages, ...place }: Typed) =>
      agora.packageRegistries.set({
        ...place,
        token,
        packages: namesIn(packages),
        ...(username !== '' && { username }),
      }),
    onSuccess: ({ url }) => {
      setToken('');
      setTyped(nothing);
      void refresh();
      say(`Stored. Packages of ${url} are fetched for your tasks alone.`);
    },
  });
  const errors = fieldErrors(store.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!store.isPending) store.mutate(typed);
  };
  return (
    <Section title={isStored ? 'Replace a registry' : 'Add a registry'}>
      <form onSubmit={submit} className="grid max-w-xl gap-4">
        <Choice
          label="Kind"
          className="sm:max-w-xs"
          value={typed.kind}
          onChange={(event) => change({ kind: event.target.value as PackageRegistryKind })}
          options={packageRegistryKinds.map((kind) => [kind, kindWords[kind]])}
          error={errors.kind}
        />
        <TextField
          label="Address"
          type="url"
          required
          maxLength={500}
          placeholder="https://npm.pkg.github.com"
          hint="With https, as lockfiles and the settings of your tool name it."
          value={typed.url}
          onChange={(event) => change({ url: event.target.value.trim() })}
          error={errors.url}
        />
        <TextField
          label="Token"
          hint="It should be allowed to read packages, and nothing else. It is kept encrypted, and never shown again."
          type="password"
          name="registry-token"
          autoComplete="off"
          required
          maxLength={4_000}
          autoFocus={takesFocus}
          value={token}
          onChange={(event) => setToken(event.target.value.trim())}
          error={errors.token}
        />
        <TextField
          label="User name"
          optional
          name="registry-user"
          autoComplete="off"
          maxLength={200}
          className="sm:max-w-xs"
          hint="With one, the token is sent as its password."
          value={typed.username}
          onChange={(event) => change({ username: event.target.value })}
          error={errors.username}
        />
        <TextArea
          label="Packages"
          optional
          mono
          rows={2}
          placeholder="@acme/*"
          hint="For lockfiles that do not say where a package comes from, as those of pnpm, Yarn 4 and Go: names, or beginnings with a *, one a line."
          value={typed.packages}
          onChange={(event) => change({ packages: event.target.value })}
          error={packagesError(errors, namesIn(store.variables?.packages ?? ''))}
        />
        <Failure error={Object.keys(errors).length > 0 ? null : store.error} />
        <div>
          <Button type="submit" kind="primary" busy={store.isPending}>
            {isStored ? 'Replace registry' : 'Add registry'}
          </Button>
        </div>
      </form>
    </Section>
  );
}

const namesIn = (text: string): string[] => text.split(/[\s,]+/).filter((name) => name !== '');

/** Of several names, says which one was refused. */
function packagesError(errors: Record<string, string>, sent: readonly string[]): string | undefined {
  const [path, message] = Object.entries(errors).find(([each]) => /^packages\b/.test(each)) ?? [];
  const name = sent[Number(path?.split('.')[1])];
  return name === undefined ? message : `${name}: ${message}`;
}

function Remove({ of, onClose }: { of: Registry | null; onClose: () => void }) {
  const remove = useMutation({
    mutationFn: ({ kind, url }: Registry) => agora.packageRegistries.remove({ kind, url }),
    onSuccess: async (_, { url }) => {
      await refresh();
      onClose();
      say(`${url} is forgotten.`);
    },
  });
  return (
    <Confirm
      title="Remove this registry?"
      open={of !== null}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      verb="Remove registry"
      danger
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => of && remove.mutate(of)}
    >
      <p>
        Agora forgets <bdi className="font-medium [overflow-wrap:anywhere]">{of?.url}</bdi> and its token. Your tasks
        get no packages of it any more.
      </p>
      <p className="text-small text-soft">Revoke the token there too, if nothing else uses it.</p>
    </Confirm>
  );
}
