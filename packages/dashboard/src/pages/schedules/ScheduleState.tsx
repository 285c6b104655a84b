import { Status } from '../../ui/Status.tsx';
import type { ListedSchedule } from './queries.ts';

/** Whether it runs, and if not, whose doing that is. */
export function ScheduleState({ of }: { of: Pick<ListedSchedule, 'status' | 'pausedBecause'> }) {
  if (of.pausedBecause === 'failures') return <Status tone="bad">Paused by failures</Status>;
  return of.status === 'active' ? <Status tone="good">Active</Status> : <Status tone="calm">Paused</Status>;
}
