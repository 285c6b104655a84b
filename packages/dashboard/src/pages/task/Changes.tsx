import type { ChangedFile } from '@agora-market/contract';
import { AgoraError, type Task } from '@agora-market/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { agora } from '../../api/client.ts';
import { taskQuery } from '../../api/tasks.ts';
import { Button } from '../../ui/Button.tsx';
import { saveFile } from '../../ui/download.ts';
import { counted } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Failure, Skeleton } from '../../ui/States.tsx';
import { isPaid } from './Files.tsx';

const FilePatch = lazy(() => import('./FileText.tsx').then((module) => ({ default: module.FilePatch })));

const isNotKept = (error: unknown) => error instanceof AgoraError && error.code === 'CHANGES_NOT_FOUND';

/** A larger patch is only for its download. */
const mostShownBytes = 400_000;

/** What the delivery changes in the files that the agent was given. */
export function Changes({ task }: { task: Task }) {
  const query = useQuery({
    queryKey: [...taskQuery(task.id).queryKey, 'changes'],
    queryFn: () => agora.tasks.changes(task.id, { pageSize: 100 }),
    enabled: isPaid(task),
    staleTime: 600_000,
    retry: (count, error) => count < 3 && !isNotKept(error),
  });
  const { data: changes } = query;
  if (!isPaid(task) || isNotKept(query.error)) return null;
  if (changes === undefined)
    return (
      <Section title="Changes">
        {query.error ? <Failure error={query.error} retry={() => void query.refetch()} /> : <Skeleton lines={2} />}
      </Section>
    );
  const { data, total, patch } = changes;
  const isShown = patch.dropped === null && patch.sizeBytes <= mostShownBytes;
  return (
    <Section
      title={`${counted(total.files, 'changed file')}`}
      lead={
        <>
          {counted(total.added, 'line')} added, {counted(total.removed, 'line')} removed. In your clone,{' '}
          <code className="[overflow-wrap:anywhere]">agora tasks apply {task.id}</code> brings them in.
        </>
      }
      actions={patch.dropped === null && <DownloadPatch taskId={task.id} />}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        {data.map((file, nth) => (
          <OneChange
            key={`${file.change} ${file.path}`}
            {...{ file, nth, taskId: task.id, isShown, isFirst: nth < 3 }}
          />
        ))}
        {total.files > data.length && (
          <p className="text-small text-soft">
            The other {counted(total.files - data.length, 'file')} are in the patch.
          </p>
        )}
      </div>
    </Section>
  );
}

function DownloadPatch({ taskId }: { taskId: string }) {
  const download = useMutation({
    mutationFn: async () => (await agora.tasks.patch(taskId)).blob(),
    onSuccess: (blob) => saveFile('changes.patch', 'text/x-diff', [blob]),
  });
  return (
    <>
      <Button small kind="quiet" busy={download.isPending} onClick={() => download.mutate()}>
        <Download aria-hidden /> Patch
      </Button>
      <Failure error={download.error} />
    </>
  );
}

interface OneChangeProps {
  taskId: string;
  file: ChangedFile;
  /** Its place in the patch. */
  nth: number;
  isShown: boolean;
  isFirst: boolean;
}

function OneChange({ taskId, file, nth, isShown, isFirst }: OneChangeProps) {
  const { path, from, change, binary, lines } = file;
  const mayShow = isShown && !binary;
  const [isOpen, setIsOpen] = useState(isFirst && mayShow);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div role="group" aria-label={path} className="rounded-base border border-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 pr-1.5 pl-3 text-small">
        <bdi className="min-w-0 flex-1 font-mono max-sm:basis-full [overflow-wrap:anywhere]">{path}</bdi>
        <span className="figures text-faint max-sm:flex-1">
          {from === null ? (
            change
          ) : (
            <>
              was <bdi>{from}</bdi>
            </>
          )}{' '}
          · {lines === null ? 'binary' : `+${lines.added} −${lines.removed}`}
        </span>
        {mayShow && (
          <Button
            small
            kind="quiet"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} ${path}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        )}
      </div>
      {isOpen && (
        <div className="border-t border-line">
          <Suspense fallback={<Skeleton className="p-3" />}>
            <FilePatch taskId={taskId} nth={nth} />
          </Suspense>
        </div>
      )}
    </div>
  );
}
