import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { PatchFile } from '../../../reading/patch.ts';
import { TextField } from '../../../ui/Field.tsx';
import { type TreeRow, treeRows } from './tree.ts';

const rowPx = 28;

interface TreeProps {
  files: readonly PatchFile[];
  /** The file that is read now. */
  current: number;
  onChoose: (nth: number) => void;
}

/** The changed files in their folders, with a filter. */
export function Tree({ files, current, onChoose }: TreeProps) {
  const [words, setWords] = useState('');
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => treeRows(files, words, folded), [files, words, folded]);
  const scroller = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 12,
  });
  const fold = (path: string) => {
    const next = new Set(folded);
    if (!next.delete(path)) next.add(path);
    setFolded(next);
  };
  return (
    <div className="flex h-full min-h-0 flex-col gap-2">
      <TextField label="Filter files" value={words} onChange={({ target }) => setWords(target.value)} />
      {rows.length === 0 && <p className="text-small text-soft">No path has these letters.</p>}
      <nav
        ref={scroller}
        aria-label="Changed files"
        className="-mx-1 min-h-0 flex-1 overflow-y-auto overscroll-contain px-1"
      >
        <ul className="relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const row = rows[index] as TreeRow;
            return (
              <li
                key={row.is === 'file' ? row.nth : `${row.path}/`}
                className="absolute inset-x-0"
                style={{ height: rowPx, transform: `translateY(${start}px)` }}
              >
                {row.is === 'folder' ? (
                  <FolderRow row={row} onFold={() => fold(row.path)} />
                ) : (
                  <FileRow
                    row={row}
                    file={files[row.nth] as PatchFile}
                    isCurrent={row.nth === current}
                    onChoose={() => onChoose(row.nth)}
                  />
                )}
              </li>
            );
          })}
        </ul>
      </nav>
    </div>
  );
}

const rowLook =
  'flex h-full w-full min-w-0 items-center gap-1.5 rounded-small pr-1.5 text-left text-small hover:bg-sunken';
const indent = (depth: number) => ({ paddingLeft: Math.min(depth, 12) * 14 + 4 });

function FolderRow({ row, onFold }: { row: Extract<TreeRow, { is: 'folder' }>; onFold: () => void }) {
  const Icon = row.isFolded ? ChevronRight : ChevronDown;
  return (
    <button
      type="button"
      aria-expanded={!row.isFolded}
      title={row.path}
      className={`${rowLook} text-soft`}
      style={indent(row.depth)}
      onClick={onFold}
    >
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <bdi className="truncate">{row.name}</bdi>
    </button>
  );
}

const letters = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' } as const;
const colours = { added: 'text-good', modified: 'text-warn', deleted: 'text-bad', renamed: 'text-info' } as const;

interface FileRowProps {
  row: Extract<TreeRow, { is: 'file' }>;
  file: PatchFile;
  isCurrent: boolean;
  onChoose: () => void;
}

function FileRow({ row, file: { change, path }, isCurrent, onChoose }: FileRowProps) {
  return (
    <button
      type="button"
      aria-current={isCurrent || undefined}
      title={path}
      className={`${rowLook} aria-[current=true]:bg-accent-wash aria-[current=true]:font-medium`}
      style={indent(row.depth)}
      onClick={onChoose}
    >
      <span aria-hidden className={`w-3.5 shrink-0 text-center font-mono text-tiny ${colours[change]}`}>
        {letters[change]}
      </span>
      <bdi className="truncate">{row.name}</bdi>
      <span className="sr-only">{change}</span>
    </button>
  );
}
