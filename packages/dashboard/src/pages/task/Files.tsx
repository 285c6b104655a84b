import type { ArtifactLoss } from '@agora-market/contract';
import type { Artifact, Task } from '@agora-market/sdk';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { agora } from '../../api/client.ts';
import { pagesOf } from '../../api/pages.ts';
import { taskQuery } from '../../api/tasks.ts';
import { Button } from '../../ui/Button.tsx';
import { contentOf, saveFile } from '../../ui/download.ts';
import { bytes, counted } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { SoFar } from '../../ui/SoFar.tsx';
import { Failure, Skeleton } from '../../ui/States.tsx';
import { Time } from '../../ui/Values.tsx';

const FileContent = lazy(() => import('./content/FileContent.tsx').then((module) => ({ default: module.FileContent })));

const losses: Record<ArtifactLoss, string> = {
  too_many: 'not kept: there were too many files',
  too_large: 'not kept: it is too large',
  total_too_large: 'not kept: the files are too large together',
  lost: 'the store has lost it',
};

/** The files that the agent left beside its change. */
export function Files({ task }: { task: Task }) {
  const query = useInfiniteQuery({
    ...pagesOf([...taskQuery(task.id).queryKey, 'files'], (cursor) =>
      agora.artifacts.list(task.id, { pageSize: 100, ...cursor }),
    ),
    enabled: isPaid(task),
    staleTime: 600_000,
  });
  const files = query.data?.pages.flatMap(({ data }) => data);
  if (task.status === 'refunded')
    return (
      <Section title="Files">
        <p className="text-small text-soft">The price was refunded, so the delivered files are not yours any more.</p>
      </Section>
    );
  if (!isPaid(task) || files?.length === 0) return null;
  const [first] = files ?? [];
  return (
    <Section
      title={files ? `${query.hasNextPage ? 'The first ' : ''}${counted(files.length, 'file')}` : 'Files'}
      lead={
        first && (
          <>
            Left under output. They are kept until <Time at={first.expiresAt} exact />.
          </>
        )
      }
    >
      {files ? (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {files.map((file) => (
            <OneFile key={file.id} task={task} file={file} />
          ))}
          <Failure error={query.isFetchNextPageError ? query.error : null} />
          {query.hasNextPage && (
            <Button kind="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show more
            </Button>
          )}
        </div>
      ) : query.error ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Skeleton lines={2} />
      )}
    </Section>
  );
}

export const isPaid = ({ status, accepted }: Task) => status === 'completed' || accepted !== null;

/** Larger ones are not shown, only downloaded. */
const mostShownBytes = 5_000_000;
/** Neither texts, pictures nor PDF. */
const neverShown = /\.(zip|gz|tgz|xz|bz2|7z|tar|wasm|woff2?|ttf|mp[34]|mov|wav|exe|so|dll|bin|db|sqlite|parquet)$/i;

const isTooLarge = ({ sizeBytes }: Artifact) => sizeBytes > mostShownBytes;
const mayShow = (file: Artifact) => file.dropped === null && !isTooLarge(file) && !neverShown.test(file.path);

function OneFile({ task, file }: { task: Task; file: Artifact }) {
  // Each one shown is a request, of which an owner has few in a minute.
  const [isOpen, setIsOpen] = useState(false);
  const [size, setSize] = useState(0);
  const download = useMutation({
    mutationFn: async () => {
      setSize(0);
      return contentOf(await agora.artifacts.download(task.id, file.id), setSize);
    },
    onSuccess: (blob) => saveFile(file.path, 'application/octet-stream', [blob]),
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div role="group" aria-label={file.path} className="rounded-base border border-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1.5 pr-1.5 pl-3 text-small">
        <bdi className="min-w-0 flex-1 font-mono max-sm:basis-full [overflow-wrap:anywhere]">{file.path}</bdi>
        {download.isPending && <SoFar size={size} of={file.sizeBytes} />}
        <span className="figures text-faint max-sm:flex-1">
          {bytes(file.sizeBytes)}
          {file.dropped ? ` · ${losses[file.dropped]}` : isTooLarge(file) && ' · too large to be shown'}
        </span>
        {mayShow(file) && (
          <Button
            small
            kind="quiet"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} ${file.path}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        )}
        {file.dropped === null && (
          <Button
            small
            kind="quiet"
            aria-label={`Download ${file.path}`}
            busy={download.isPending}
            onClick={() => download.mutate()}
          >
            <Download aria-hidden />
          </Button>
        )}
      </div>
      {download.error && (
        <div className="px-3 pb-3">
          <Failure error={download.error} />
        </div>
      )}
      {isOpen && (
        <div className="border-t border-line">
          <Suspense fallback={<Skeleton className="p-3" />}>
            <FileContent taskId={task.id} file={file} />
          </Suspense>
        </div>
      )}
    </div>
  );
}
