import type { Artifact } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { agora } from '../../api/client.ts';
import { cx } from '../../ui/cx.ts';
import { counted } from '../../ui/format.ts';
import { Loaded, Skeleton } from '../../ui/States.tsx';
import { type DiffLine, patchLines, plainLines } from './diff-lines.ts';

/** A delivered file: as the patch that it is, or as it stands. */
export function FileText({ file, taskId, isPatch }: { taskId: string; file: Artifact; isPatch: boolean }) {
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
          <Lines lines={isPatch ? patchLines(text) : plainLines(text)} />
        )
      }
    </Loaded>
  );
}

/** One file of a task's patch, by its place in it. */
export function FilePatch({ taskId, nth }: { taskId: string; nth: number }) {
  const query = useQuery({
    queryKey: ['task-patch', taskId],
    // A line of a text never begins so: it has a sign before it. Other ends of line than Git's do not count.
    queryFn: async () => (await (await agora.tasks.patch(taskId)).text()).split(/(?<=\n)(?=diff --git )/),
    staleTime: 'static',
  });
  return (
    <Loaded query={query} skeleton={<Skeleton className="p-3" />}>
      {(parts) => <Lines lines={patchLines(contentOf(parts[nth] ?? ''))} />}
    </Loaded>
  );
}

/** A part of a patch without its head, which says what stands above it already; all where there is nothing else. */
const contentOf = (part: string) => part.slice(part.indexOf('\n@@ ') + 1).trimEnd();

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

function Lines({ lines }: { lines: DiffLine[] }) {
  return (
    <>
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
