import { lazyRouteComponent, Outlet, useRouterState } from '@tanstack/react-router';
import { Suspense } from 'react';
import { pageFacts } from '../api/page-facts.ts';
import { useOwner } from '../api/session.ts';
import { Toasts } from '../ui/toast.tsx';
import { useCalmly } from '../ui/use-calmly.ts';
import { Brand, bar, VisitorHead } from './Head.tsx';
import { Offline } from './Offline.tsx';
import { useSessionEnded } from './session-end.ts';

const SignInAgain = lazyRouteComponent(() => import('../pages/account/SignInAgain.tsx'), 'SignInAgain');

// What only an owner sees is no load of a visitor's; for an owner it comes beside the page.
const loadOwnerFrame = () => import('./owner-frame.ts');
const OwnerHead = lazyRouteComponent(loadOwnerFrame, 'OwnerHead');
const Sidebar = lazyRouteComponent(loadOwnerFrame, 'Sidebar');
if (!pageFacts.isVisitor) loadOwnerFrame().catch(() => {});

/** What stands around every page. */
export function Frame() {
  const owner = useOwner();
  const isOwner = useCalmly(Boolean(owner));
  const hasEnded = useSessionEnded();
  return (
    <>
      {/* No link: `#main` would count from the base of the dashboard, and leave the page. */}
      <button
        type="button"
        onClick={() => document.getElementById('main')?.focus()}
        className="screen-only sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-base focus:bg-surface focus:p-3"
      >
        Skip to the page
      </button>
      {owner === null ? (
        <VisitorHead />
      ) : (
        <Suspense fallback={<BareHead />}>{owner && isOwner ? <OwnerHead owner={owner} /> : <BareHead />}</Suspense>
      )}
      <div className="flex">
        {/* Its place is kept until it is known who looks, so that the page does not move. */}
        {owner !== null && (
          <div className="screen-only sticky top-14 h-[calc(100dvh-3.5rem)] w-56 shrink-0 overflow-y-auto border-r border-line px-3 py-5 max-lg:hidden">
            <Suspense>{isOwner && <Sidebar />}</Suspense>
          </div>
        )}
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          <Outlet />
        </main>
      </div>
      <Loading />
      <Toasts>
        <Offline />
      </Toasts>
      {owner && hasEnded && (
        <Suspense>
          <SignInAgain owner={owner} />
        </Suspense>
      )}
    </>
  );
}

const BareHead = () => (
  <header className={bar}>
    <Brand />
  </header>
);

/** A line at the top while the next page is on its way, for those who wait long enough to wonder. */
function Loading() {
  const isLoading = useRouterState({ select: ({ isLoading }) => isLoading });
  if (!isLoading) return null;
  return (
    <div
      role="progressbar"
      aria-label="Loading the page"
      className="fixed inset-x-0 top-0 z-50 h-0.5 animate-pulse bg-accent"
    />
  );
}
