import { Skeleton } from '../ui/States.tsx';

/** Stands for a page whose code or session is being loaded. */
export function PageSkeleton() {
  return (
    <div aria-busy="true" className="mx-auto max-w-6xl px-4 py-8 sm:px-6">
      <span className="sr-only">Loading</span>
      <div aria-hidden className="skeleton mb-6 h-7 w-56" />
      <div className="rounded-large border border-line bg-surface p-5">
        <Skeleton lines={7} />
      </div>
    </div>
  );
}
