import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useRouterState } from '@tanstack/react-router';
import { sessionQuery } from '../api/session.ts';
import { FailedPage } from './FailedPage.tsx';
import { PageSkeleton } from './Frame.tsx';

/** Pages of an owner: a visitor signs in first, and comes back to the same place. */
export function OwnerGate() {
  const session = useQuery(sessionQuery);
  const to = useRouterState({ select: ({ location }) => location.href });
  if (session.data) return <Outlet />;
  if (session.data === null) return <Navigate to="/sign-in" search={{ to }} replace />;
  return session.error ? <FailedPage error={session.error} reset={() => void session.refetch()} /> : <PageSkeleton />;
}
