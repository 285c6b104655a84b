import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense } from 'react';
import { pageFacts } from '../../api/page-facts.ts';
import { sessionQuery } from '../../api/session.ts';
import { FailedPage } from '../../app/FailedPage.tsx';
import { PageSkeleton } from '../../app/PageSkeleton.tsx';
import { Landing } from './Landing.tsx';

// Two pages at one address. The visitor's comes at once; the owner's is fetched while the session is.
const Overview = lazyRouteComponent(() => import('./Overview.tsx'), 'Overview');
if (!pageFacts.isVisitor) void Overview.preload?.();

/** For a visitor what Agora is, for an owner how things stand. */
export function StartPage() {
  const session = useQuery(sessionQuery);
  if (session.data === null) return <Landing />;
  if (session.error && !session.data) {
    return <FailedPage error={session.error} reset={() => void session.refetch()} />;
  }
  return (
    <Suspense fallback={<PageSkeleton />}>
      {session.data ? <Overview owner={session.data} /> : <PageSkeleton />}
    </Suspense>
  );
}
