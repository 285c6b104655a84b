import type { ReactNode } from 'react';

/** Two columns where there is room: what matters most, and what stands beside it. */
export function Columns({ children, aside }: { children: ReactNode; aside: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">{children}</div>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">{aside}</div>
    </div>
  );
}

/** A number people look for, with what it counts. */
export function Figure({ label, children, note }: { label: string; children: ReactNode; note?: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-small text-soft">{label}</dt>
      <dd className="figures mt-0.5 text-figure font-semibold tracking-tight">{children}</dd>
      {note && <dd className="text-small text-faint">{note}</dd>}
    </div>
  );
}

/** Figures side by side. */
export function Figures({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-2 gap-x-6 gap-y-5 sm:grid-cols-4">{children}</dl>;
}

/** Facts of one thing: a name to the left, its value to the right. Rows without a value are left out. */
export function Facts({ rows }: { rows: (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid max-w-2xl gap-y-2 text-small">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name} className="grid grid-cols-[min(40%,10rem)_minmax(0,1fr)] gap-3">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
