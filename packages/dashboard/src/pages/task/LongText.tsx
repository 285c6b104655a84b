import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { saveFile } from '../../ui/download.ts';
import { bytes } from '../../ui/format.ts';

/** Above so many characters a text is cut until it is asked for; above the second it is for a download. */
const limits = { cut: 6_000, most: 5_000_000 };
/** What is laid out as one: the rest waits until it is scrolled to. */
const pieceChars = 10_000;

/** A stranger's text, letter by letter; a long one is cut. `name` is that of its download. */
export function LongText({ text, name, mono }: { text: string; name: string; mono?: boolean }) {
  const [isWhole, setIsWhole] = useState(false);
  const isCut = text.length > limits.cut && !isWhole;
  const shown = isCut ? text.slice(0, limits.cut) : text.slice(0, limits.most);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <pre
        dir="auto"
        className={cx(
          'whitespace-pre-wrap [overflow-wrap:anywhere]',
          mono ? 'rounded-base bg-sunken p-3 font-mono text-small' : 'font-sans',
        )}
      >
        {shown.length > pieceChars ? <Pieces text={shown} /> : shown}
        {shown.length < text.length && '…'}
      </pre>
      {text.length > limits.cut && (
        <div className="screen-only flex flex-wrap items-center gap-2">
          {isCut && <Button onClick={() => setIsWhole(true)}>Show all</Button>}
          <Button kind="quiet" onClick={() => saveFile(name, 'text/plain', [text])}>
            Download ({bytes(new Blob([text]).size)})
          </Button>
          {!isCut && text.length > limits.most && (
            <span className="text-small text-faint">The rest is in the download.</span>
          )}
        </div>
      )}
    </div>
  );
}

/** Each ends with a line, or, where a line is longer than that, somewhere in it. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.lastIndexOf('\n', from + pieceChars) + 1;
    const to = from + pieceChars >= text.length ? text.length : end > from ? end : from + pieceChars;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

const Pieces = ({ text }: { text: string }) =>
  piecesOf(text).map((piece, at) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name and never move
      key={at}
      className="block [contain-intrinsic-size:auto_60rem] [content-visibility:auto]"
    >
      {piece.replace(/\n$/, '') || '\n'}
    </span>
  ));
