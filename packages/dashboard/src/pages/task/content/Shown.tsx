import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Segments } from '../../../ui/Segments.tsx';
import { Skeleton } from '../../../ui/States.tsx';
import { LongText } from '../LongText.tsx';
import type { Kind } from './kind.ts';

const Rendered = lazy(() => import('./Rendered.tsx').then((module) => ({ default: module.Rendered })));

interface ShownProps {
  text: string;
  kind: Kind;
  name: string;
  /** Stands beside the switch. */
  actions?: ReactNode;
}

const ways = [
  ['rendered', 'Rendered'],
  ['raw', 'Raw'],
] as const;

/** Up to as many as a window has. */
const linesOf = (text: string): number => text.split('\n', 40).length;

/** A stranger's text in its shape, and letter by letter one press away. */
export function Shown({ text, kind, name, actions }: ShownProps) {
  const [way, setWay] = useState<'rendered' | 'raw'>('rendered');
  if (kind === 'text' || kind === 'trace') return <LongText text={text} name={name} mono={kind === 'trace'} />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="screen-only flex flex-wrap items-center justify-end gap-2">
        {actions}
        <Segments label={`How ${name} is shown`} options={ways} value={way} onChange={setWay} />
      </div>
      {way === 'raw' ? (
        <LongText text={text} name={name} mono />
      ) : (
        // What stands below moves less while the shape is on its way.
        <div style={kind === 'markdown' ? { minHeight: `${linesOf(text)}rem` } : undefined}>
          <Suspense fallback={<Skeleton />}>
            <Rendered text={text} kind={kind} name={name} />
          </Suspense>
        </div>
      )}
    </div>
  );
}
