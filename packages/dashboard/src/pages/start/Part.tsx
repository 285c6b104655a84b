import type { ReactNode } from 'react';

/** A part of the page: its name in a column of its own, as a margin note. */
export function Part({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-10 gap-y-6 border-t border-line py-12 lg:grid-cols-[13rem_minmax(0,1fr)]"
    >
      <h2 id={id} className="text-lead font-semibold tracking-tight">
        {title}
      </h2>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
