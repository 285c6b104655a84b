import type { ItemOf } from '@agora-market/sdk';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { agora } from '../../api/client.ts';
import { pagesOf, useRows } from '../../api/pages.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { Section } from '../../ui/Layout.tsx';
import { Empty, Failure } from '../../ui/States.tsx';
import { Status } from '../../ui/Status.tsx';
import { type Column, Table, tableOf } from '../../ui/Table.tsx';
import { say } from '../../ui/toast.tsx';
import { Time } from '../../ui/Values.tsx';
import { programName } from './user-agent.ts';

type Session = ItemOf<'auth.listSessions'>;

const key = ['settings', 'sessions'];
const sessionsQuery = pagesOf<Session>(key, (cursor) => agora.auth.listSessions(cursor));
const refresh = () => queryClient.invalidateQueries({ queryKey: key });

/** Where the account is signed in, and how that ends. */
export function Sessions() {
  const query = useRows(sessionsQuery);
  const [isAsked, setIsAsked] = useState(false);
  const end = useMutation({
    mutationFn: (session: Session) => agora.auth.endSession(session.id),
    onSuccess: (_, session) => {
      say(`The session of ${programName(session.userAgent)} is ended.`);
      void refresh();
    },
  });
  const endOthers = useMutation({
    mutationFn: () => agora.auth.endOtherSessions(),
    onSuccess: () => {
      setIsAsked(false);
      say('All other sessions are ended.');
      void refresh();
    },
  });
  const { mutate, isPending, variables } = end;
  const columns = useMemo(
    () => columnsOf((session) => !isPending && mutate(session), isPending ? variables?.id : undefined),
    [mutate, isPending, variables],
  );
  const others = query.rows?.some(({ isCurrent }) => !isCurrent);
  return (
    <Section
      title="Sessions"
      lead="Where you are signed in. A session you do not know: end it and change your password."
      flush
      actions={
        <Button onClick={() => setIsAsked(true)} why={others === false ? 'This is the only session.' : null}>
          End all others
        </Button>
      }
    >
      {end.error && (
        <div className="px-5 pb-3">
          <Failure error={end.error} />
        </div>
      )}
      <Table
        label="Sessions"
        columns={columns}
        rowKey={({ id }) => id}
        empty={<Empty title="No session">Each browser and program that is signed in stands here.</Empty>}
        {...tableOf(query)}
      />
      <Confirm
        title="End all other sessions"
        open={isAsked}
        onClose={() => setIsAsked(false)}
        verb="End them"
        busy={endOthers.isPending}
        error={endOthers.error}
        onConfirm={() => endOthers.mutate()}
      >
        <p>Every browser and program but this one has to sign in again. Developer tokens keep working.</p>
      </Confirm>
    </Section>
  );
}

const columnsOf = (end: (session: Session) => void, endingId: string | undefined): Column<Session>[] => [
  {
    id: 'program',
    header: 'Program',
    cell: ({ userAgent, isCurrent }) => (
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1" title={userAgent ?? undefined}>
        <span className="font-medium [overflow-wrap:anywhere]">{programName(userAgent)}</span>
        {isCurrent && <Status tone="good">This one</Status>}
      </span>
    ),
  },
  {
    id: 'created',
    header: 'Signed in',
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    id: 'expires',
    header: 'Ends unused',
    sort: ({ expiresAt }) => expiresAt,
    wide: true,
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
  },
  {
    id: 'end',
    header: 'Action',
    right: true,
    cell: (session) =>
      session.isCurrent ? null : (
        <Button
          kind="quiet"
          className="-my-1.5 -mr-2"
          busy={endingId === session.id}
          aria-label={`End the session of ${programName(session.userAgent)}`}
          onClick={() => end(session)}
        >
          End
        </Button>
      ),
  },
];
