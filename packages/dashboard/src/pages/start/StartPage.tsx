import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { FailedPage } from '../../app/FailedPage.tsx';
import { PageSkeleton } from '../../app/Frame.tsx';

// Two pages at one address: nobody loads the one of the other.
const Landing = lazy(() => import('./Landing.tsx').then((module) => ({ default: module.Landing })));
const Overview = lazy(() => import('./Overview.tsx').then((module) => ({ default: module.Overview })));

/** For a visitor what Agora is, for an owner how things stand. */
export function StartPage() {
  const session = useQuery(sessionQuery);
  if (session.data === undefined) {
    return session.error ? <FailedPage error={session.error} reset={() => void session.refetch()} /> : <PageSkeleton />;
  }
  return (
    <Suspense fallback={<PageSkeleton />}>{session.data ? <Overview owner={session.data} /> : <Landing />}</Suspense>
  );
}
