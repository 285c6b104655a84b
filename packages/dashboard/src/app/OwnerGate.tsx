import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { sessionQuery } from '../api/session.ts';
import { FailedPage } from './FailedPage.tsx';
import { PageSkeleton } from './PageSkeleton.tsx';

/** Pages of an owner: a visitor signs in first, and comes back to the same place. */
export function OwnerGate() {
  const session = useQuery(sessionQuery);
  if (session.data) return <Outlet />;
  if (session.data === null) return <ToSignIn />;
  return session.error ? <FailedPage error={session.error} reset={() => void session.refetch()} /> : <PageSkeleton />;
}

/** The place is read once: one that followed the location would name the way to the sign-in page, and so on without end. */
function ToSignIn() {
  const router = useRouter();
  const [to] = useState(() => router.latestLocation.href);
  return <Navigate to="/sign-in" search={{ to }} replace />;
}
