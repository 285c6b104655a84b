import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { memo, useCallback, useDeferredValue } from 'react';
import { coloursOf } from '../../../reading/colour-queue.ts';
import { languageOf } from '../../../reading/language-names.ts';
import type { Marks } from '../../../reading/marks.ts';
import { kinds, type Patch, type PatchFile } from '../../../reading/patch.ts';
import type { Reader } from '../../../reading/reader.ts';
import { Button } from '../../../ui/Button.tsx';
import { FileImages } from './FileImages.tsx';
import { isImage, notesOf, sizes } from './layout.ts';
import { Rows, type RowsProps } from './Rows.tsx';

interface FileDiffProps extends Omit<RowsProps, 'marks' | 'file' | 'onStep'> {
  reader: Reader;
  /** Names the patch among those that are shown. */
  name: string;
  nth: number;
  file: PatchFile;
  isFolded: boolean;
  top: number;
  height: number;
  onFold: (nth: number) => void;
  onStep: (nth: number, step: -1 | 0 | 1) => void;
}

/** One file of a patch, at its place. */
export const FileDiff = memo(function FileDiff(props: FileDiffProps) {
  const { file, nth, isFolded, top, height, onFold } = props;
  const { path, change, added, removed, binary } = file;
  const Icon = isFolded ? ChevronRight : ChevronDown;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      role="group"
      aria-label={path}
      className="absolute inset-x-0 rounded-base border border-line bg-surface"
      style={{ top, height }}
    >
      <div
        className="sticky top-14 z-10 flex items-center gap-x-2 rounded-t-base border-b border-line bg-surface pr-3 pl-1 text-small sm:top-28"
        style={{ height: sizes.head - 1 }}
      >
        <Button
          small
          kind="quiet"
          className="px-1.5!"
          aria-expanded={!isFolded}
          aria-label={`${isFolded ? 'Show' : 'Hide'} ${path}`}
          onClick={() => onFold(nth)}
        >
          <Icon aria-hidden />
        </Button>
        <bdi className="min-w-0 flex-1 truncate font-mono" title={path}>
          {path}
        </bdi>
        <span className="figures shrink-0 text-faint max-sm:sr-only">{change}</span>
        {binary === null ? (
          <span className="figures shrink-0">
            <span className="text-good">+{added}</span> <span className="text-bad">−{removed}</span>
          </span>
        ) : (
          <span className="shrink-0 text-faint">binary</span>
        )}
      </div>
      {!isFolded && <Body {...props} />}
    </div>
  );
});

function Body({ reader, name, nth, onStep, ...props }: FileDiffProps) {
  const { patch, file } = props;
  const step = useCallback((by: -1 | 0 | 1) => onStep(nth, by), [nth, onStep]);
  const { data = null } = useQuery({
    queryKey: ['diff-colours', name, nth],
    queryFn: () => coloursOfFile(patch, file),
    staleTime: 'static',
    retry: false,
    structuralSharing: false,
  });
  const marks = useDeferredValue(data);
  return (
    <>
      {notesOf(file).map((note) => (
        <p
          key={note}
          style={{ height: sizes.note }}
          className="flex items-center overflow-hidden px-3 text-small text-soft"
        >
          <bdi className="truncate" title={note}>
            {note}
          </bdi>
        </p>
      ))}
      {isImage(file) && <FileImages {...{ reader, name, nth, path: file.path }} />}
      {file.end > file.first && <Rows {...props} marks={marks} onStep={step} />}
    </>
  );
}

/** Both texts of a file, as far as the patch has them, each coloured by itself. */
async function coloursOfFile(patch: Patch, file: PatchFile): Promise<Marks | null> {
  const language = languageOf(file.path);
  if (language === null) return null;
  // Lines that stay the same are coloured as part of the later text.
  const [before, after] = [
    await coloursOf(language, ...sideOf(patch, file, kinds.removed)),
    await coloursOf(language, ...sideOf(patch, file, kinds.added)),
  ];
  if (before === null || after === null) return after;
  return merged(patch, file, before, after);
}

function sideOf(patch: Patch, { first, end }: PatchFile, kind: number): [code: string, starts: Uint32Array] {
  const lines: string[] = [];
  const starts: number[] = [];
  for (let line = first; line < end; line += 1) {
    if (patch.kind[line] !== kind && patch.kind[line] !== kinds.same) continue;
    lines.push(patch.text.slice(patch.start[line], patch.end[line]));
    starts.push(patch.start[line] as number);
  }
  return [lines.join('\n'), Uint32Array.from(starts)];
}

/** In the order of the lines: of the earlier text only what was removed. */
function merged(patch: Patch, { first, end }: PatchFile, before: Marks, after: Marks): Marks {
  const marks = new Uint32Array(before.length + after.length);
  const at = { before: 0, after: 0, all: 0 };
  const skip = (from: Marks, side: 'before' | 'after', start: number) => {
    while (at[side] < from.length && (from[at[side]] as number) < start) at[side] += 3;
  };
  for (let line = first; line < end; line += 1) {
    const isRemoved = patch.kind[line] === kinds.removed;
    const [from, side] = isRemoved ? ([before, 'before'] as const) : ([after, 'after'] as const);
    skip(from, side, patch.start[line] as number);
    while (at[side] < from.length && (from[at[side]] as number) < (patch.end[line] as number)) {
      marks.set(from.subarray(at[side], at[side] + 3), at.all);
      at[side] += 3;
      at.all += 3;
    }
  }
  return marks.slice(0, at.all);
}
