import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { languageNamed } from '../../../reading/language-names.ts';
import type { Markdown, Piece } from '../../../reading/markdown.ts';
import type { Reader } from '../../../reading/reader.ts';
import { Button } from '../../../ui/Button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Skeleton } from '../../../ui/States.tsx';
import { LongText } from '../LongText.tsx';
import { SafeLink } from '../SafeLink.tsx';
import { CodeLines } from './CodeLines.tsx';

/** Pieces that are drawn at once. */
const piecesAtOnce = 1_500;

/** A stranger's Markdown: its words and their shape. What it names is neither loaded nor run. */
export function MarkdownView({ text, reader }: { text: string; reader: Reader }) {
  const query = useQuery({
    queryKey: ['markdown', reader.name, text.length],
    queryFn: () => reader.ask('markdown', text),
    ...{ staleTime: 'static', gcTime: 0, retry: false, structuralSharing: false },
  });
  if (query.error)
    return (
      <>
        <p className="text-small text-soft">Its Markdown takes too long to read, so it stands here letter by letter.</p>
        <LongText text={text} name="text.md" />
      </>
    );
  return query.data ? <Blocks {...query.data} /> : <Skeleton />;
}

function Blocks({ blocks, isCut }: Markdown) {
  const [room, setRoom] = useState(piecesAtOnce);
  const shown = blocks.slice(0, Math.max(1, countWithin(blocks, room)));
  return (
    <div dir="auto" className="grid grid-cols-[minmax(0,1fr)] gap-3 [overflow-wrap:anywhere]">
      {shown.map(({ piece }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name and never move
        <One key={at} piece={piece} />
      ))}
      {shown.length < blocks.length && (
        <Button className="justify-self-start" onClick={() => setRoom(room + piecesAtOnce)}>
          Show more
        </Button>
      )}
      {shown.length === blocks.length && isCut && (
        <p className="text-small text-faint">It goes on. The whole text is in Raw.</p>
      )}
    </div>
  );
}

function countWithin(blocks: Markdown['blocks'], room: number): number {
  let left = room;
  let count = 0;
  for (const { pieces } of blocks) {
    left -= pieces;
    if (left < 0) break;
    count += 1;
  }
  return count;
}

const All = ({ pieces }: { pieces: readonly Piece[] }): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name and never move
  pieces.map((piece, at) => <One key={at} piece={piece} />);

const plain = 'rounded-small bg-sunken px-1 py-0.5 font-mono text-[0.9em] whitespace-pre-wrap';
/** Whether all words around are those of a link: a link in it then needs no words of its own. */
const InLink = createContext(false);

function One({ piece }: { piece: Piece }): ReactNode {
  switch (piece.is) {
    case 'text':
      return piece.text;
    case 'code':
    case 'html':
      return <code className={plain}>{piece.text}</code>;
    case 'block':
      return <CodeLines text={piece.text} label="Code" language={languageNamed(piece.language)} />;
    case 'heading':
      // No heading of the page: strangers write text, not pages.
      return (
        <p className={cx('font-semibold', piece.level < 3 ? 'text-lead' : 'text-base', piece.level < 3 && 'mt-2')}>
          <All pieces={piece.in} />
        </p>
      );
    case 'paragraph':
      return (
        <p className="whitespace-pre-line">
          <All pieces={piece.in} />
        </p>
      );
    case 'quote':
      return (
        <blockquote className="grid gap-2 border-l-2 border-line-strong pl-4 text-soft">
          <All pieces={piece.in} />
        </blockquote>
      );
    case 'strong':
      return (
        <strong className="font-semibold">
          <All pieces={piece.in} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <All pieces={piece.in} />
        </em>
      );
    case 'deleted':
      return (
        <s>
          <All pieces={piece.in} />
        </s>
      );
    case 'break':
      return <br />;
    case 'line':
      return <hr className="border-line" />;
    default:
      return <Larger piece={piece} />;
  }
}

type LargerPiece = Extract<Piece, { is: 'list' | 'item' | 'table' | 'link' | 'image' }>;

function Larger({ piece }: { piece: LargerPiece }) {
  switch (piece.is) {
    case 'list':
      return piece.start === null ? (
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-1 list-disc pl-6">
          <All pieces={piece.in} />
        </ul>
      ) : (
        <ol start={piece.start} className="grid grid-cols-[minmax(0,1fr)] gap-1 list-decimal pl-8">
          <All pieces={piece.in} />
        </ol>
      );
    case 'item':
      return (
        <li className={cx(piece.checked !== null && 'list-none')}>
          {piece.checked !== null && (
            <span role="img" aria-label={piece.checked ? 'Done' : 'Not done'} className="mr-1.5">
              {piece.checked ? '☑' : '☐'}
            </span>
          )}
          <div className={piece.checked === null ? 'grid grid-cols-[minmax(0,1fr)] gap-1' : 'inline-block'}>
            <All pieces={piece.in} />
          </div>
        </li>
      );
    case 'table':
      return <Grid piece={piece} />;
    case 'link':
      return <Address {...piece} />;
    case 'image':
      return (
        <span className="text-soft">
          Picture, not loaded: <All pieces={piece.in} /> <SafeLink href={piece.address} />
        </span>
      );
  }
}

/** The words of a link, and where it leads in full. */
function Address({ address, in: pieces }: Extract<Piece, { is: 'link' | 'image' }>) {
  const isInLink = useContext(InLink);
  const [only] = pieces;
  const isOwnName = pieces.length === 1 && only?.is === 'text' && only.text === address;
  if (isOwnName || isInLink) return <SafeLink href={address} />;
  return (
    <>
      <InLink value={true}>
        <All pieces={pieces} />
      </InLink>{' '}
      (<SafeLink href={address} />)
    </>
  );
}

const sides = { left: 'text-left', right: 'text-right', center: 'text-center' } as const;

function Grid({ piece: { rows, align } }: { piece: Extract<Piece, { is: 'table' }> }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div tabIndex={0} role="group" aria-label="Table" className="overflow-x-auto rounded-base border border-line">
      <table className="w-max min-w-full text-small">
        <tbody className="divide-y divide-line">
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a text have no other name and never move
            <tr key={row} className={row === 0 ? 'bg-sunken font-medium' : undefined}>
              {cells.map((pieces, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={column} className={cx('max-w-md px-3 py-1.5 align-top', sides[align[column] ?? 'left'])}>
                  <All pieces={pieces} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
