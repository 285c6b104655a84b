import type { Task } from '@agora-market/sdk';
import { lazy, Suspense } from 'react';
import { Skeleton } from '../../ui/States.tsx';
import { Given } from './Given.tsx';
import { Routing } from './Routing.tsx';

const RunView = lazy(() => import('./RunView.tsx').then(({ RunView }) => ({ default: RunView })));

/** How the work went: its run, what the agent was given, and why it was chosen. */
export function WorkTab({ task }: { task: Task }) {
  return (
    <>
      <Suspense fallback={<Skeleton lines={8} />}>
        <RunView task={task} />
      </Suspense>
      <Given task={task} />
      <Routing task={task} />
    </>
  );
}
