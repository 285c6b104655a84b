import { useMutation } from '@tanstack/react-query';
import { Download as Icon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { agora } from '../../api/client.ts';
import { Button } from '../../ui/Button.tsx';
import { saveFile } from '../../ui/download.ts';
import { count } from '../../ui/format.ts';
import { Failure } from '../../ui/States.tsx';
import type { RowsFilter } from './filters.ts';
import type { ListKind } from './kinds.tsx';

const formats = {
  CSV: { format: 'csv', type: 'text/csv', file: (text: string[]) => text },
  JSON: { format: 'ndjson', type: 'application/json', file: asArray },
} as const;
type Format = keyof typeof formats;

/** The list as a file. A long one says how far it is, and can be stopped; leaving the page stops it. */
export function Download({ kind, filter }: { kind: ListKind; filter: RowsFilter }) {
  const [rows, setRows] = useState(0);
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  const download = useMutation({
    mutationFn: async (name: Format) => {
      const controller = new AbortController();
      stopping.current = controller;
      const { format, type, file } = formats[name];
      const pieces: string[] = [];
      const countRows = rowCounter(format);
      setRows(0);
      for await (const piece of agora.tasks.export({ ...filter, format }, { signal: controller.signal })) {
        pieces.push(piece);
        setRows(countRows(piece));
      }
      saveFile(`${kind.label.toLowerCase()}.${name.toLowerCase()}`, type, file(pieces));
    },
  });
  const isStopped = stopping.current?.signal.aborted;
  if (download.isPending)
    return (
      <>
        <span role="status" className="figures text-small text-soft">
          {count(rows)} rows of {download.variables}
        </span>
        <Button onClick={() => stopping.current?.abort()}>Stop</Button>
      </>
    );
  return (
    <>
      <Failure error={isStopped ? null : download.error} />
      {(Object.keys(formats) as Format[]).map((name) => (
        <Button key={name} aria-label={`Download ${name}`} onClick={() => download.mutate(name)}>
          <Icon aria-hidden /> {name}
        </Button>
      ))}
    </>
  );
}

/** Lines of JSON as one array, as most programs read it. */
function asArray(pieces: string[]): string[] {
  if (pieces.length === 0) return ['[]\n'];
  // A line ends only where a task does, for JSON has no other line ends.
  const lines = pieces.map((piece) => piece.replaceAll('\n', ',\n'));
  return ['[\n', ...lines.slice(0, -1), (lines.at(-1) as string).replace(/,\n$/, '\n'), ']\n'];
}

/** Counts the rows of a file as it comes. A line end in quotes belongs to a cell of CSV, and its first line is of heads. */
function rowCounter(format: 'csv' | 'ndjson'): (piece: string) => number {
  let ends = format === 'csv' ? -1 : 0;
  let isQuoted = false;
  return (piece) => {
    for (const [at, part] of (format === 'csv' ? piece.split('"') : [piece]).entries()) {
      if (at > 0) isQuoted = !isQuoted;
      if (!isQuoted) ends += part.split('\n').length - 1;
    }
    return Math.max(0, ends);
  };
}
