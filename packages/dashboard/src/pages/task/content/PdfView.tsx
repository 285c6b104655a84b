import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { usePdfReader } from '../../../reading/pdf.ts';
import type { PdfAnswers } from '../../../reading/pdf-worker.ts';
import type { Reader } from '../../../reading/reader.ts';
import { Button } from '../../../ui/Button.tsx';
import { count, counted } from '../../../ui/format.ts';
import { Segments } from '../../../ui/Segments.tsx';
import { Failure, Loaded, Skeleton } from '../../../ui/States.tsx';
import { LongText } from '../LongText.tsx';

const once = { staleTime: 'static', gcTime: 0, retry: false, structuralSharing: false } as const;

/** More are in the download. */
const mostPages = 1_000;
/** The first is as wide as its place. */
const zooms = [1, 1.25, 1.5, 2, 3] as const;
/** Of a page that is as wide as its place. */
const pageWidthPx = 1_000;

const ways = [
  ['page', 'Page'],
  ['text', 'Text'],
] as const;

/** A stranger's PDF, page by page, as pictures that a worker draws; nothing in it runs, links or loads. */
export function PdfView({ content, name }: { content: Uint8Array<ArrayBuffer>; name: string }) {
  const reader = usePdfReader();
  const query = useQuery({
    queryKey: ['pdf', reader?.name],
    // Given away with what is asked, and the page keeps its own.
    queryFn: () => reader!.ask('open', content.slice().buffer),
    enabled: reader !== null,
    ...once,
  });
  if (query.error) return <p className="p-3 text-small text-soft">{query.error.message}</p>;
  if (reader === null || query.data === undefined) return <Skeleton className="p-3" />;
  return <Pages reader={reader} name={name} total={query.data} />;
}

function Pages({ reader, name, total }: { reader: Reader<PdfAnswers>; name: string; total: number }) {
  const [page, setPage] = useState(1);
  const [zoom, setZoom] = useState(0);
  const [way, setWay] = useState<'page' | 'text'>('page');
  const last = Math.min(total, mostPages);
  const turnTo = (to: number) => setPage(Math.min(last, Math.max(1, Math.trunc(to) || 1)));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 p-3">
      <div className="screen-only flex flex-wrap items-center gap-x-2 gap-y-1 text-small">
        <Button
          small
          aria-label="Previous page"
          why={page === 1 ? 'This is the first page.' : null}
          onClick={() => turnTo(page - 1)}
        >
          <ChevronLeft aria-hidden />
        </Button>
        <Button
          small
          aria-label="Next page"
          why={page === last ? 'This is the last page.' : null}
          onClick={() => turnTo(page + 1)}
        >
          <ChevronRight aria-hidden />
        </Button>
        <PageField page={page} last={last} onTurn={turnTo} />
        <span className="figures text-soft">of {count(last)}</span>
        {way === 'page' && (
          <span className="flex items-center gap-1">
            <Button
              small
              kind="quiet"
              aria-label="Smaller"
              why={zoom === 0 ? 'The page is as wide as its place.' : null}
              onClick={() => setZoom(zoom - 1)}
            >
              <ZoomOut aria-hidden />
            </Button>
            <span aria-live="polite" className="figures text-soft">
              {zooms[zoom]! * 100}%
            </span>
            <Button
              small
              kind="quiet"
              aria-label="Larger"
              why={zoom === zooms.length - 1 ? 'It grows no further.' : null}
              onClick={() => setZoom(zoom + 1)}
            >
              <ZoomIn aria-hidden />
            </Button>
          </span>
        )}
        <span className="ml-auto">
          <Segments label={`How ${name} is shown`} options={ways} value={way} onChange={setWay} />
        </span>
      </div>
      {last < total && (
        <p className="text-small text-soft">
          It has {counted(total, 'page')}. The first {count(last)} are here, and all of them in the download.
        </p>
      )}
      {way === 'page' ? (
        <Drawn reader={reader} page={page} zoom={zooms[zoom]!} name={name} />
      ) : (
        <Words reader={reader} page={page} name={name} />
      )}
    </div>
  );
}

/** The page turns once a number is finished: each one drawn is work. */
function PageField({ page, last, onTurn }: { page: number; last: number; onTurn: (to: number) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  const finish = () => {
    if (typed !== null) onTurn(Number(typed));
    setTyped(null);
  };
  return (
    <input
      type="number"
      aria-label="Page"
      min={1}
      max={last}
      value={typed ?? page}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={finish}
      onKeyDown={({ key }) => key === 'Enter' && finish()}
      className="figures min-h-8 w-16 rounded-base border border-line-strong bg-surface px-2"
    />
  );
}

interface DrawnProps {
  reader: Reader<PdfAnswers>;
  page: number;
  zoom: number;
  name: string;
}

function Drawn({ reader, page, zoom, name }: DrawnProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = Math.round(pageWidthPx * zoom * Math.min(devicePixelRatio, 2));
  const query = useQuery({
    queryKey: ['pdf-page', reader.name, page, width],
    queryFn: () => reader.ask('draw', page, width),
    placeholderData: keepPreviousData,
    ...once,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next page is read from its top
  useEffect(() => {
    if (frame.current) frame.current.scrollTop = 0;
  }, [page]);
  if (query.error) return <Failure error={query.error} />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      ref={frame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      role="group"
      aria-label={`Pages of ${name}`}
      aria-busy={query.isFetching}
      className="max-h-[min(36rem,80dvh)] overflow-auto rounded-base bg-sunken p-3"
    >
      {query.data ? (
        <Canvas
          drawn={query.data}
          zoom={zoom}
          label={query.isPlaceholderData ? `Page ${page} is being drawn` : `Page ${page} of ${name}`}
        />
      ) : (
        <Skeleton lines={6} />
      )}
    </div>
  );
}

function Canvas({ drawn, zoom, label }: { drawn: ImageBitmap; zoom: number; label: string }) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    ref.current?.getContext('2d')?.drawImage(drawn, 0, 0);
  }, [drawn]);
  return (
    <canvas
      // A canvas that gets another size loses its picture; a new one has none to lose.
      key={`${drawn.width}x${drawn.height}`}
      ref={ref}
      role="img"
      aria-label={label}
      width={drawn.width}
      height={drawn.height}
      style={{ width: `${zoom * 100}%` }}
      className="mx-auto max-w-none border border-line bg-white"
    />
  );
}

function Words({ reader, page, name }: { reader: Reader<PdfAnswers>; page: number; name: string }) {
  const query = useQuery({
    queryKey: ['pdf-words', reader.name, page],
    queryFn: () => reader.ask('words', page),
    ...once,
  });
  return (
    <Loaded query={query}>
      {(words) =>
        words.trim() ? (
          <LongText key={page} text={words} name={`${name.split('/').at(-1)}-${page}.txt`} />
        ) : (
          <p className="text-small text-soft">This page has no words that can be read; it may be a picture.</p>
        )
      }
    </Loaded>
  );
}
