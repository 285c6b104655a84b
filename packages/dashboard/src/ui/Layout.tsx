import { type ReactNode, useEffect, useId } from 'react';
import { cx } from './cx.ts';

interface PageProps {
  title: string;
  /** One sentence under the title. */
  lead?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** Where the page hangs, for the way back. */
  back?: ReactNode;
  /** Text columns rather than tables. */
  narrow?: boolean;
  /** As wide as the window: for code side by side. */
  wide?: boolean;
  children: ReactNode;
}

/** A page: its title in the window and at its top. Every page is one of these. */
export function Page({ title, lead, actions, back, narrow, wide, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Agora`;
  }, [title]);
  return (
    <div className={cx('mx-auto w-full px-4 py-6 sm:px-6 lg:py-8', narrow ? 'max-w-3xl' : !wide && 'max-w-6xl')}>
      {back && <div className="screen-only mb-2 text-small text-soft">{back}</div>}
      <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3 max-sm:flex-col">
        <div className="min-w-0">
          <h1 dir="auto" className="text-title font-semibold tracking-tight [overflow-wrap:anywhere]">
            {title}
          </h1>
          {lead && <div className="mt-1.5 max-w-2xl text-soft">{lead}</div>}
        </div>
        {actions && <div className="screen-only flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">{children}</div>
    </div>
  );
}

interface SectionProps {
  title?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** Content that brings its own edges, as a table does. */
  flush?: boolean;
  children: ReactNode;
  className?: string;
}

/** A part of a page on a surface of its own. */
export function Section({ title, lead, actions, flush, children, className }: SectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={title ? id : undefined}
      className={cx('min-w-0 rounded-large border border-line bg-surface', className)}
    >
      {title && (
        <div
          className={cx(
            'flex flex-wrap justify-between gap-x-4 gap-y-2 px-5 pt-4',
            lead ? 'items-start' : 'items-center',
          )}
        >
          <div className="min-w-0 flex-1 basis-36">
            <h2 id={id} className="text-base font-semibold">
              {title}
            </h2>
            {lead && <div className="mt-0.5 text-small text-soft">{lead}</div>}
          </div>
          {actions && <div className="screen-only flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={flush ? (title ? 'pt-3' : 'pt-1') : 'px-5 py-4'}>{children}</div>
    </section>
  );
}
