import type { Task } from '@agora-market/sdk';
import { State, Status } from '../../ui/Status.tsx';

/** Whether an attempt passed and another one was better: no failure in the eyes of who submitted it. */
export const isPassedOver = ({ errorMessage }: Pick<Task, 'errorMessage'>): boolean =>
  errorMessage?.startsWith('not_selected') ?? false;

/** The state of a task in a word. */
export const TaskState = ({ status, passedOver }: { status: Task['status']; passedOver: boolean }) =>
  passedOver ? <Status tone="calm">Not chosen</Status> : <State of={status} />;
