import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { languageOf } from '../../../reading/language-names.ts';
import { type Reader, useReader } from '../../../reading/reader.ts';
import { Loaded, Skeleton } from '../../../ui/States.tsx';
import { Diff } from '../diff/Diff.tsx';
import { CodeLines } from './CodeLines.tsx';
import { JsonView } from './JsonView.tsx';
import type { Kind } from './kind.ts';
import { MarkdownView } from './MarkdownView.tsx';
import { Drawing } from './Picture.tsx';

interface RenderedProps {
  text: string;
  kind: Exclude<Kind, 'text' | 'trace'>;
  /** Its file's, or what stands for it. */
  name: string;
}

/** A stranger's text in the shape that it has. */
export function Rendered(props: RenderedProps) {
  const { text, kind, name } = props;
  const content = useMemo(() => new Blob([text]), [text]);
  if (kind === 'code') return <CodeLines text={text} label={name} language={languageOf(name)} />;
  if (kind === 'drawing') return <Drawing text={text} name={name} />;
  if (kind === 'diff') return <Diff content={content} name={name} />;
  return <Read {...props} kind={kind} />;
}

type ReadProps = RenderedProps & { kind: 'markdown' | 'json' | 'jsonl' | 'log' };

function Read({ text, kind, name }: ReadProps) {
  const reader = useReader();
  if (reader === null) return <Skeleton />;
  if (kind === 'markdown') return <MarkdownView text={text} reader={reader} />;
  if (kind === 'log') return <Log text={text} name={name} reader={reader} />;
  return <JsonView text={text} isLines={kind === 'jsonl'} reader={reader} />;
}

function Log({ text, name, reader }: { text: string; name: string; reader: Reader }) {
  const query = useQuery({
    queryKey: ['log', reader.name, text.length],
    queryFn: () => reader.ask('log', text),
    ...{ staleTime: 'static', gcTime: 0, retry: false, structuralSharing: false },
  });
  return <Loaded query={query}>{(log) => <CodeLines text={log.text} marks={log.marks} label={name} />}</Loaded>;
}
