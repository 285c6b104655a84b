import type { Artifact } from '@agora/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { agora } from '../../api/client.ts';
import { cx } from '../../ui/cx.ts';
import { counted } from '../../ui/format.ts';
import { Loaded, Skeleton } from '../../ui/States.tsx';
import { compared, type DiffLine, patchLines, plainLines } from './diff-lines.ts';

interface DiffProps {
  taskId: string;
  file: Artifact;
  /** What the agent was given at the same path. */
  original: string | null;
  isPatch: boolean;
}

/** A delivered file: against its original, as the patch that it is, or as it stands. */
export function FileDiff({ taskId, file, original, isPatch }: DiffProps) {
  const query = useQuery({
    queryKey: ['task-file', file.id],
    queryFn: async () => textOf(await (await agora.artifacts.download(taskId, file.id)).arrayBuffer()),
    staleTime: 'static',
  });
  return (
    <Loaded query={query} skeleton={<Skeleton className="p-3" />}>
      {({ text }) =>
        text === null ? (
          <Remark>This file is binary. Download it to see it.</Remark>
        ) : (
          <Text {...{ text, original, isPatch }} />
        )
      }
    </Loaded>
  );
}

/** Null for what is no text. */
function textOf(content: ArrayBuffer): { text: string | null } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    return { text: text.includes('\0') ? null : text };
  } catch {
    return { text: null };
  }
}

const Remark = ({ children }: { children: string }) => <p className="px-3 py-2 text-small text-soft">{children}</p>;

/** Above these, the rest of a file is for its download. */
const most = { lines: 2_000, lineChars: 2_000 };

function Text({ text, original, isPatch }: { text: string; original: string | null; isPatch: boolean }) {
  const lines = useMemo(() => {
    if (original !== null) return compared(original, text);
    return isPatch ? patchLines(text) : plainLines(text);
  }, [text, original, isPatch]);
  if (lines === null) return <Remark>The file differs too much to be compared here. Download it to see it.</Remark>;
  if (lines.length === 0) return <Remark>The file is as you gave it.</Remark>;
  const added = lines.filter(({ kind }) => kind === 'added').length;
  const removed = lines.filter(({ kind }) => kind === 'removed').length;
  return (
    <>
      {(original !== null || isPatch) && (
        <p className="figures border-b border-line px-3 py-1.5 text-tiny text-soft">
          {counted(added, 'line')} added, {counted(removed, 'line')} removed
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div tabIndex={0} className="max-h-[36rem] overflow-auto font-mono text-tiny leading-5">
        <div className="w-max min-w-full py-1">
          {lines.slice(0, most.lines).map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text have no other name and never move
            <Line key={at} line={line} />
          ))}
        </div>
      </div>
      {lines.length > most.lines && (
        <Remark>{`The first ${counted(most.lines, 'line')} of ${counted(lines.length, 'line')} are shown. Download the file for the rest.`}</Remark>
      )}
    </>
  );
}

const signs = { same: ' ', added: '+', removed: '-', note: '' };
const looks = {
  same: '',
  added: 'bg-good-wash',
  removed: 'bg-bad-wash',
  note: 'bg-sunken text-soft',
};

function Line({ line: { kind, text, before, after } }: { line: DiffLine }) {
  return (
    <div className={cx('grid grid-cols-[3rem_3rem_1.25rem_auto] whitespace-pre', looks[kind])}>
      <span aria-hidden className="pr-2 text-right text-faint select-none">
        {before}
      </span>
      <span aria-hidden className="pr-2 text-right text-faint select-none">
        {after}
      </span>
      <span className={cx('select-none', kind === 'added' && 'text-good', kind === 'removed' && 'text-bad')}>
        {signs[kind]}
      </span>
      <span className="pr-3">{text.slice(0, most.lineChars)}</span>
    </div>
  );
}
