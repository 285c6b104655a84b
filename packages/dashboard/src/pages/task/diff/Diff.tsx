import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, FoldVertical, PanelLeft, UnfoldVertical } from 'lucide-react';
import {
  type ReactNode,
  startTransition,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { noLine, type Patch, type PatchFile } from '../../../reading/patch.ts';
import { type Reader, useReader } from '../../../reading/reader.ts';
import { Button } from '../../../ui/Button.tsx';
import { cx } from '../../../ui/cx.ts';
import { count, counted } from '../../../ui/format.ts';
import { Segments } from '../../../ui/Segments.tsx';
import { Failure, Note, Skeleton } from '../../../ui/States.tsx';
import { FileDiff } from './FileDiff.tsx';
import {
  aboveRows,
  fileOfLine,
  isFoldedAtFirst,
  lastUpTo,
  linkOfLine,
  rowOf,
  rowsOf,
  sizes,
  topsOf,
  type Way,
} from './layout.ts';
import { findLink, type MarkedLine, useWay } from './state.ts';
import { Tree } from './Tree.tsx';
import { useVisible } from './use-visible.ts';

interface DiffProps {
  content: Blob;
  /** Names the patch among those that are shown. */
  name: string;
  /** The line or file that the address names, and how it names another. Without it, lines have no addresses. */
  link?: { at: string | undefined; hrefOf: (link: string) => string; go: (link: string) => void };
  actions?: ReactNode;
}

/** A patch with all its files: read in a worker, drawn as far as it is seen. */
export function Diff(props: DiffProps) {
  const { content, name } = props;
  const reader = useReader();
  const { data, error } = useQuery({
    queryKey: ['patch', name, reader?.name],
    queryFn: async () => (reader as Reader).ask('patch', await content.arrayBuffer()),
    enabled: reader !== null,
    ...{ staleTime: 'static', gcTime: 0, retry: false, structuralSharing: false },
  });
  // A file with all its lines is drawn in slices, as is all that follows here.
  const patch = useDeferredValue(data, undefined);
  if (error) return <Failure error={error} />;
  if (!patch || !reader) return <Skeleton lines={8} />;
  if (patch.files.length === 0) return <p className="text-small text-soft">It names no file.</p>;
  return <Shown {...props} name={reader.name} patch={patch} reader={reader} />;
}

function Shown({ patch, reader, name, link, actions }: DiffProps & { patch: Patch; reader: Reader }) {
  const [way, setWay] = useWay();
  const [isTreeOpen, setIsTreeOpen] = useState(() => patch.files.length > 1 && innerWidth >= 1024);
  const view = usePlaces(patch, way);
  const { tops, list, folded } = view;
  const visible = useVisible(list);
  const marked = useMarked(patch, link?.at, view);
  const search = useSearch(reader, view.show);
  const hrefOf = useHrefs(patch, link?.hrefOf);
  const go = link?.go;
  const mark = useCallback(
    (line: number) => {
      const text = linkOfLine(patch, patch.files[fileOfLine(patch.files, line)] as PatchFile, line);
      if (text !== null) go?.(text);
    },
    [patch, go],
  );
  const [first, last] = [lastUpTo(tops, visible.top), lastUpTo(tops, visible.bottom)];
  const step = useCallback(
    (nth: number, by: -1 | 0 | 1) => {
      const file = patch.files[nth] as PatchFile;
      for (let line = by === 0 ? file.first : (marked.line ?? file.first) + by; ; line += by || 1) {
        if (line < file.first || line >= file.end) return;
        if (linkOfLine(patch, file, line) === null) continue;
        mark(line);
        return;
      }
    },
    [patch, marked.line, mark],
  );
  // The bars above hide what stands under them.
  const current = Math.min(lastUpTo(tops, view.reading(visible)), patch.files.length - 1);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {link && (
        <p id="diff-keys" className="sr-only">
          Enter marks a line, the arrow keys move the mark, and the address of the page then leads to the line.
        </p>
      )}
      <div
        data-filters
        className="z-20 flex flex-wrap items-center gap-2 bg-canvas py-2 sm:sticky sm:top-14 sm:h-14 sm:flex-nowrap"
      >
        {patch.files.length > 1 && (
          <Button small aria-expanded={isTreeOpen} onClick={() => setIsTreeOpen(!isTreeOpen)}>
            <PanelLeft aria-hidden /> Files
          </Button>
        )}
        <Search {...search} />
        <span className="flex-1 max-sm:hidden" />
        <Segments label="Layout" options={ways} value={way} onChange={(next) => view.reshape(() => setWay(next))} />
        <FoldAll folded={folded} count={patch.files.length} fold={view.foldAll} />
        {actions}
      </div>
      {patch.leftOut > 0 && <Note>{counted(patch.leftOut, 'line')} more are in the patch, for its download.</Note>}
      <div className={cx('grid items-start gap-4', isTreeOpen && 'lg:grid-cols-[16rem_minmax(0,1fr)]')}>
        {isTreeOpen && (
          <div className="h-80 min-w-0 lg:sticky lg:top-28 lg:h-[calc(100dvh-8rem)]">
            <Tree
              files={patch.files}
              current={current}
              onChoose={(nth) => {
                view.showFile(nth);
                go?.((patch.files[nth] as PatchFile).path);
              }}
            />
          </div>
        )}
        <div ref={list} className="relative min-w-0" style={{ height: (tops.at(-1) ?? 0) - sizes.gap }}>
          {Array.from({ length: Math.min(last, patch.files.length - 1) - first + 1 }, (_, at) => first + at).map(
            (nth) => {
              const file = patch.files[nth] as PatchFile;
              const top = tops[nth] as number;
              const rowsTop = top + aboveRows(file);
              const rows = rowsOf(file, way);
              const clamp = (row: number) => Math.max(0, Math.min(rows, row));
              const isIn = (line: number | null) =>
                line !== null && line >= file.first && line < file.end ? line : noLine;
              return (
                <FileDiff
                  key={nth}
                  {...{ patch, reader, name, nth, file, way, top, hrefOf }}
                  height={(tops[nth + 1] as number) - top - sizes.gap}
                  isFolded={folded.has(nth)}
                  from={clamp(Math.floor((visible.top - rowsTop) / sizes.row))}
                  to={clamp(Math.ceil((visible.bottom - rowsTop) / sizes.row))}
                  words={search.words}
                  marked={isIn(marked.line)}
                  found={isIn(search.line)}
                  onFold={view.fold}
                  onMark={mark}
                  onStep={step}
                />
              );
            },
          )}
        </div>
      </div>
    </div>
  );
}

const ways = [
  ['unified', 'Unified'],
  ['split', 'Side by side'],
] as const satisfies readonly (readonly [Way, string])[];

function FoldAll({
  folded,
  count: files,
  fold,
}: {
  folded: ReadonlySet<number>;
  count: number;
  fold: (all: boolean) => void;
}) {
  if (files < 2) return null;
  const isAll = folded.size === files;
  return (
    <Button small kind="quiet" aria-label={isAll ? 'Unfold all files' : 'Fold all files'} onClick={() => fold(!isAll)}>
      {isAll ? <UnfoldVertical aria-hidden /> : <FoldVertical aria-hidden />}
    </Button>
  );
}

interface Wanted {
  nth: number;
  /** To be brought into sight; null for the file. */
  line: number | null;
  /** How far into the file. */
  share?: number;
}

/** Where files are, which are folded, and how to bring a line into sight. */
function usePlaces(patch: Patch, way: Way) {
  const { files } = patch;
  const list = useRef<HTMLDivElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<number>>(
    () => new Set(files.flatMap((file, nth) => (files.length > 1 && isFoldedAtFirst(file) ? [nth] : []))),
  );
  const tops = useMemo(() => topsOf(files, way, (nth) => folded.has(nth)), [files, way, folded]);
  const unfold = useCallback((nth: number) => {
    setFolded((before) => (before.has(nth) ? new Set([...before].filter((each) => each !== nth)) : before));
  }, []);
  /** To be done when the list has its next shape. */
  const [wanted, setWanted] = useState<Wanted | null>(null);
  useLayoutEffect(() => {
    if (wanted === null || list.current === null) return;
    const { nth, line, share = 0 } = wanted;
    const file = files[nth] as PatchFile;
    const row = line === null ? null : rowOf(patch, file, way, line);
    const [top, next] = [tops[nth] as number, tops[nth + 1] as number];
    const place = top + (row === null ? share * (next - top) : aboveRows(file) + row * sizes.row);
    const at = list.current.getBoundingClientRect().top + place;
    const isInSight = row !== null && at > barsPx() + sizes.head && at < innerHeight - 2 * sizes.row;
    if (!isInSight) scrollBy({ top: at - (row === null ? barsPx() : innerHeight / 3), behavior: 'instant' });
    setWanted(null);
  }, [wanted, files, patch, tops, way]);
  /** Changes heights, and keeps what is read in its place. */
  const reshape = useCallback(
    (change: () => void) => {
      const read = list.current === null ? -1 : barsPx() - list.current.getBoundingClientRect().top;
      const nth = Math.min(lastUpTo(tops, read), files.length - 1);
      const [top, next] = [tops[nth] as number, tops[nth + 1] as number];
      startTransition(() => {
        change();
        if (read >= 0) setWanted({ nth, line: null, share: Math.min(1, (read - top) / (next - top)) });
      });
    },
    [files, tops],
  );
  const fold = useCallback(
    (nth: number) =>
      reshape(() =>
        setFolded((before) => {
          const next = new Set(before);
          if (!next.delete(nth)) next.add(nth);
          return next;
        }),
      ),
    [reshape],
  );
  const show = useCallback(
    (line: number) => {
      const nth = fileOfLine(files, line);
      if (nth < 0) return;
      startTransition(() => {
        unfold(nth);
        setWanted({ nth, line });
      });
    },
    [files, unfold],
  );
  const showFile = useCallback(
    (nth: number) => {
      startTransition(() => {
        unfold(nth);
        setWanted({ nth, line: null });
      });
    },
    [unfold],
  );
  return {
    ...{ tops, list, folded, fold, show, showFile, reshape },
    foldAll: (isAll: boolean) => reshape(() => setFolded(new Set(isAll ? files.keys() : []))),
    /** The place of what is read: right under the bars. */
    reading: ({ top }: { top: number }) => {
      const seen = list.current?.getBoundingClientRect().top;
      return seen === undefined ? top : Math.max(0, barsPx() + sizes.head - seen);
    },
  };
}

/** The head of all pages, and the bar of the diff where it stays. */
const barsPx = () => (innerWidth >= 640 ? 112 : 56) + 8;

/** The line that the address names; the page goes there when it opens. */
function useMarked(
  patch: Patch,
  at: string | undefined,
  { show, showFile }: Pick<ReturnType<typeof usePlaces>, 'show' | 'showFile'>,
): MarkedLine {
  const marked = useMemo(() => findLink(patch, at), [patch, at]);
  useEffect(() => {
    if (marked.line !== null) show(marked.line);
    else if (marked.nth >= 0) showFile(marked.nth);
  }, [marked, show, showFile]);
  return marked;
}

function useHrefs(patch: Patch, hrefOf: ((link: string) => string) | undefined) {
  return useMemo(() => {
    if (!hrefOf) return null;
    return (line: number) => {
      const file = patch.files[fileOfLine(patch.files, line)];
      const link = file ? linkOfLine(patch, file, line) : null;
      return link === null ? null : hrefOf(link);
    };
  }, [patch, hrefOf]);
}

interface SearchState {
  words: string;
  /** The line that was found last. */
  line: number | null;
  total: number | null;
  place: number;
  typed: string;
  type: (words: string) => void;
  move: (by: 1 | -1) => void;
}

/** Lines with the words, found in the worker that has the patch. */
function useSearch(reader: Reader, show: (line: number) => void): SearchState {
  const [typed, setTyped] = useState('');
  const [place, setPlace] = useState(-1);
  const words = useDeferredValue(typed.length > 1 ? typed : '');
  const { data } = useQuery({
    queryKey: ['find', reader.name, words],
    queryFn: () => reader.ask('find', words),
    enabled: words !== '',
    ...{ staleTime: 0, gcTime: 0, retry: false, structuralSharing: false },
  });
  const lines = words === '' ? undefined : data?.lines;
  return {
    ...{ words, typed, place },
    line: lines?.[place] ?? null,
    total: words === '' ? null : (data?.total ?? null),
    type: (text) => {
      setTyped(text);
      setPlace(-1);
    },
    move: (by) => {
      if (!lines || lines.length === 0) return;
      const next = (Math.max(place, by === 1 ? -1 : 0) + by + lines.length) % lines.length;
      setPlace(next);
      show(lines[next] as number);
    },
  };
}

function Search({ typed, total, place, type, move }: SearchState) {
  return (
    <div className="flex min-w-0 items-center gap-1 max-sm:basis-full">
      <input
        type="search"
        aria-label="Search in the changes"
        placeholder="Search in the changes"
        value={typed}
        onChange={({ target }) => type(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          move(event.shiftKey ? -1 : 1);
        }}
        className="min-h-8 w-56 min-w-0 rounded-base border border-line-strong bg-surface px-2.5 text-small placeholder:text-faint max-sm:flex-1"
      />
      {typed.length > 1 && (
        <>
          <span aria-live="polite" className="figures min-w-16 text-center text-small whitespace-nowrap text-soft">
            {total === null
              ? ''
              : total === 0
                ? 'None'
                : `${place < 0 ? '' : `${count(place + 1)} of `}${count(total)}`}
          </span>
          <Button small kind="quiet" className="px-1.5!" aria-label="Previous line" onClick={() => move(-1)}>
            <ArrowUp aria-hidden />
          </Button>
          <Button small kind="quiet" className="px-1.5!" aria-label="Next line" onClick={() => move(1)}>
            <ArrowDown aria-hidden />
          </Button>
        </>
      )}
    </div>
  );
}
