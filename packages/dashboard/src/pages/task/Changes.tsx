import type { ArtifactLoss } from '@agora-market/contract';
import { AgoraError, type Task } from '@agora-market/sdk';
import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate, useRouter } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { agora } from '../../api/client.ts';
import { command } from '../../api/commands.ts';
import { pagesOf } from '../../api/pages.ts';
import { isOpen, taskQuery } from '../../api/tasks.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { CopyBlock } from '../../ui/Copy.tsx';
import { contentOf, saveFile } from '../../ui/download.ts';
import { counted } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { SoFar } from '../../ui/SoFar.tsx';
import { Empty, Failure, Loaded, Note, Skeleton } from '../../ui/States.tsx';
import { isPaid } from './Files.tsx';

const Diff = lazy(() => import('./diff/Diff.tsx').then((module) => ({ default: module.Diff })));

const route = getRouteApi('/owner/tasks/$taskId');

const isNotKept = (error: unknown) => error instanceof AgoraError && error.code === 'CHANGES_NOT_FOUND';
const retry = (count: number, error: unknown) => count < 3 && !isNotKept(error);

const changesKey = (task: Task) => [...taskQuery(task.id).queryKey, 'changes'] as const;

const shownInShort = 8;

/** How much changed, and the names of the first files. */
const shortQuery = (task: Task) =>
  queryOptions({
    queryKey: changesKey(task),
    queryFn: () => agora.tasks.changes(task.id, { pageSize: shownInShort }),
    enabled: isPaid(task),
    staleTime: 600_000,
    retry,
  });

/** What the delivery changes in the files that the agent was given, in short. */
export function Changes({ task }: { task: Task }) {
  const query = useQuery(shortQuery(task));
  const { data: changes } = query;
  if (!isPaid(task) || isNotKept(query.error)) return null;
  if (changes === undefined)
    return (
      <Section title="Changes">
        {query.error ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Skeleton lines={2} />}
      </Section>
    );
  const { data, total } = changes;
  const target = { to: '/tasks/$taskId', params: { taskId: task.id } } as const;
  return (
    <Section
      title={counted(total.files, 'changed file')}
      lead={<Totals total={total} />}
      actions={
        <ButtonLink small {...target} search={{ tab: 'changes' }}>
          See the changes
        </ButtonLink>
      }
    >
      <ul className="grid grid-cols-[minmax(0,1fr)] text-small">
        {data.map(({ path, change, lines }) => (
          <li key={`${change} ${path}`} className="flex items-baseline gap-3">
            <Link
              {...target}
              search={{ tab: 'changes', line: path }}
              className="min-w-0 truncate py-1 font-mono hover:text-accent hover:underline"
            >
              <bdi>{path}</bdi>
            </Link>
            <span className="figures shrink-0 text-faint">
              {change} · {lines === null ? 'binary' : `+${lines.added} −${lines.removed}`}
            </span>
          </li>
        ))}
        {total.files > data.length && (
          <li className="text-soft">and {counted(total.files - data.length, 'other file')}</li>
        )}
      </ul>
    </Section>
  );
}

const Totals = ({ total }: { total: { added: number; removed: number } }) => (
  <span className="figures">
    {counted(total.added, 'line')} added, {counted(total.removed, 'line')} removed
  </span>
);

/** All that the delivery changes, line by line. */
export function ChangesTab({ task }: { task: Task }) {
  const query = useQuery(shortQuery(task));
  if (!isPaid(task))
    return (
      <Section>
        <Empty
          title={isOpen(task) ? 'The changes will stand here' : 'There are no changes to show'}
          actions={
            isOpen(task) && (
              <ButtonLink kind="primary" to="/tasks/$taskId" params={{ taskId: task.id }} search={{ tab: 'work' }}>
                Watch the work
              </ButtonLink>
            )
          }
        >
          {isOpen(task)
            ? 'What the agent changes in the files you gave it, line by line, once the work is yours.'
            : 'What was delivered is not yours, so its changes stay with the agent.'}
        </Empty>
      </Section>
    );
  if (isNotKept(query.error))
    return (
      <Section>
        <Empty
          title="There are no changes to show"
          actions={
            <ButtonLink kind="primary" to="/tasks/$taskId" params={{ taskId: task.id }}>
              See the result
            </ButtonLink>
          }
        >
          The agent had no files to change, or what it changed is not kept any more.
        </Empty>
      </Section>
    );
  return (
    <Loaded query={query} skeleton={<Skeleton lines={8} />}>
      {({ total, patch, linksLeftOut }) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <div className="grid grid-cols-[minmax(0,1fr)] items-center gap-x-6 gap-y-2 lg:grid-cols-[auto_minmax(0,28rem)] lg:justify-between">
            <div>
              <h2 className="text-base font-semibold">{counted(total.files, 'changed file')}</h2>
              <p className="text-small text-soft">
                <Totals total={total} />
                {linksLeftOut > 0 && `, ${counted(linksLeftOut, 'link')} out of the workspace left out`}
              </p>
            </div>
            <div>
              <p className="sr-only">In your clone, this command brings the changes in:</p>
              <CopyBlock text={command(`tasks apply ${task.id}`)} what="command that brings the changes in" />
            </div>
          </div>
          {patch.dropped === null ? (
            <Whole task={task} sizeBytes={patch.sizeBytes} />
          ) : (
            <Names task={task} loss={patch.dropped} />
          )}
        </div>
      )}
    </Loaded>
  );
}

function Whole({ task, sizeBytes }: { task: Task; sizeBytes: number }) {
  const [size, setSize] = useState(0);
  const { line } = route.useSearch();
  const navigate = useNavigate();
  const router = useRouter();
  const query = useQuery({
    queryKey: ['task-patch', task.id],
    queryFn: async () => contentOf(await agora.tasks.patch(task.id), setSize),
    ...{ staleTime: 'static', structuralSharing: false, retry },
  });
  const link = useMemo(() => {
    const target = (text: string) =>
      ({ to: '/tasks/$taskId', params: { taskId: task.id }, search: { tab: 'changes', line: text } }) as const;
    // Made once, for there is one for each line.
    const start = router.buildLocation(target('x')).href.slice(0, -1);
    return {
      hrefOf: (text: string) => start + encodeURIComponent(text),
      go: (text: string) => void navigate({ ...target(text), replace: true, resetScroll: false }),
    };
  }, [task.id, router, navigate]);
  const save = (blob: Blob) => saveFile('changes.patch', 'text/x-diff', [blob]);
  return (
    <Loaded
      query={query}
      skeleton={
        <div className="grid gap-2">
          <Skeleton lines={8} />
          <SoFar size={size} of={sizeBytes} />
        </div>
      }
    >
      {(blob) => (
        <Suspense fallback={<Skeleton lines={8} />}>
          <Diff
            content={blob}
            name={task.id}
            link={{ at: line, ...link }}
            actions={
              <Button small kind="quiet" onClick={() => save(blob)}>
                <Download aria-hidden /> Patch
              </Button>
            }
          />
        </Suspense>
      )}
    </Loaded>
  );
}

const losses: Record<ArtifactLoss, string> = {
  too_many: 'The agent left too many files, so the patch was not kept.',
  too_large: 'The patch is larger than this installation keeps.',
  total_too_large: 'With the other files the patch is larger than this installation keeps.',
  lost: 'The store has lost the patch.',
};

/** Where there is no patch: what changed, by name. */
function Names({ task, loss }: { task: Task; loss: ArtifactLoss }) {
  const query = useInfiniteQuery({
    ...pagesOf([...changesKey(task), 'all'], (cursor) => agora.tasks.changes(task.id, { pageSize: 100, ...cursor })),
    staleTime: 600_000,
  });
  const files = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <Note>{losses[loss]}</Note>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-1 text-small">
        {files.map(({ path, from, change, lines }) => (
          <li key={`${change} ${path}`} className="flex flex-wrap items-baseline gap-x-3">
            <bdi className="min-w-0 font-mono [overflow-wrap:anywhere]">{path}</bdi>
            <span className="figures text-faint">
              {from === null ? change : `was ${from}`} ·{' '}
              {lines === null ? 'binary' : `+${lines.added} −${lines.removed}`}
            </span>
          </li>
        ))}
      </ul>
      <Failure error={query.error} />
      {query.hasNextPage && (
        <Button
          className="justify-self-start"
          kind="quiet"
          busy={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  );
}
