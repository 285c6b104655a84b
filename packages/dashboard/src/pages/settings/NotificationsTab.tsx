import { type NotificationKind, notificationKinds } from '@agora-market/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { agora } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Loaded } from '../../ui/States.tsx';
import { say } from '../../ui/toast.tsx';

const allKinds = Object.keys(notificationKinds) as NotificationKind[];
const queryKey = ['settings', 'preferences'];
const read = async () => (await agora.embassy.getPreferences()).preferences;

type Preferences = Awaited<ReturnType<typeof read>>;
type Change = { kind: NotificationKind; place: 'inApp' | 'email'; on: boolean };

/** The whole of the preferences with one of them changed; a mail that is always sent stays on. */
const changed = (before: Preferences, { kind, place, on }: Change): Preferences => ({
  ...before,
  [kind]: { ...before[kind], [place]: on },
});

/** A tick counts at once. If the server refuses it, it is taken back and said. */
function useChange() {
  return useMutation({
    // One after the other, for each sends them all.
    scope: { id: 'preferences' },
    mutationFn: () => agora.embassy.setPreferences({ preferences: queryClient.getQueryData<Preferences>(queryKey)! }),
    onMutate: async (change: Change) => {
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData<Preferences>(queryKey, (before) => before && changed(before, change));
    },
    onSuccess: () => say('Saved.'),
    onError: (_, change) => {
      queryClient.setQueryData<Preferences>(queryKey, (now) => now && changed(now, { ...change, on: !change.on }));
    },
  });
}

/** What the owner is told of, and how. */
export function NotificationsTab() {
  const preferences = useQuery({ queryKey, queryFn: read });
  const change = useChange();
  return (
    <Section
      title="What you are told"
      lead="On these pages, by mail, or both. Mails about the safety of the account are always sent."
      flush
    >
      {change.error && (
        <div className="px-5 pb-3">
          <Failure error={change.error} />
        </div>
      )}
      <div className="pb-1">
        <Loaded query={preferences}>
          {(now) => (
            <table className="w-full text-small">
              <thead>
                <tr className="border-b border-line text-soft">
                  <th scope="col" className="px-5 py-2.5 text-left font-medium">
                    When
                  </th>
                  <th scope="col" className="w-24 px-3 py-2.5 font-medium">
                    Here
                  </th>
                  <th scope="col" className="w-24 px-3 py-2.5 font-medium">
                    By mail
                  </th>
                </tr>
              </thead>
              <tbody>
                {allKinds.map((kind) => (
                  <KindRow key={kind} kind={kind} now={now[kind]} change={(part) => change.mutate({ kind, ...part })} />
                ))}
              </tbody>
            </table>
          )}
        </Loaded>
      </div>
    </Section>
  );
}

interface KindRowProps {
  kind: NotificationKind;
  now: { inApp: boolean; email: boolean };
  change: (part: Omit<Change, 'kind'>) => void;
}

function KindRow({ kind, now, change }: KindRowProps) {
  const { title, email } = notificationKinds[kind];
  return (
    <tr className="border-b border-line last:border-0 hover:bg-sunken/60">
      <th scope="row" className="px-5 py-2 text-left font-normal">
        {title}
      </th>
      <Cell>
        <Tick label={`${title}, here`} checked={now.inApp} onChange={(on) => change({ place: 'inApp', on })} />
      </Cell>
      <Cell>
        {email === 'always' ? (
          <span className="text-soft">Always</span>
        ) : (
          <Tick label={`${title}, by mail`} checked={now.email} onChange={(on) => change({ place: 'email', on })} />
        )}
      </Cell>
    </tr>
  );
}

const Cell = ({ children }: { children: ReactNode }) => <td className="px-3 py-1 text-center">{children}</td>;

/** Its row and column say what it is for those who see them, its label for the others. */
const Tick = ({ label, checked, onChange }: { label: string; checked: boolean; onChange: (on: boolean) => void }) => (
  <label className="inline-grid size-8 place-items-center">
    <span className="sr-only">{label}</span>
    <input
      type="checkbox"
      checked={checked}
      onChange={(event) => onChange(event.target.checked)}
      className="size-4 accent-accent"
    />
  </label>
);
