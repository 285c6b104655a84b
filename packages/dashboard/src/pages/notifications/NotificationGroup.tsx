import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { type ReactNode, useCallback, useId, useState } from 'react';
import type { Notification } from '../../api/notifications.ts';
import { taskQuery } from '../../api/tasks.ts';
import { Button, TextLink } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import { Time } from '../../ui/Values.tsx';
import { jobQuery } from '../jobs/jobs.ts';
import { type Group, isBuyers, isJob, targetOf } from './groups.ts';

/** Whether an element has come into sight: what would be asked for a long list is asked for what is read of it. */
function useSeen() {
  const [isSeen, setSeen] = useState(false);
  const place = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const watch = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return [isSeen, place] as const;
}

/** What was told of one task, under what the task is; or one thing that was told of none. */
export function NotificationGroup({ group, onRead }: { group: Group; onRead: (id: string) => void }) {
  const [isSeen, place] = useSeen();
  const { taskId, notifications } = group;
  return (
    <li ref={place}>
      {taskId !== null && isBuyers(group) && <OfTask taskId={taskId} isSeen={isSeen} />}
      {taskId !== null && isJob(group) && <OfJob taskId={taskId} isSeen={isSeen} />}
      <ul className={cx(notifications.length > 1 && 'divide-y divide-line/60')}>
        {notifications.map((notification) => (
          <Row key={notification.id} notification={notification} onRead={onRead} />
        ))}
      </ul>
    </li>
  );
}

type Title = { data: string | undefined; error: unknown };

/** What the task is to do. */
function OfTask({ taskId, isSeen }: { taskId: string; isSeen: boolean }) {
  const title = useQuery({ ...taskQuery(taskId), enabled: isSeen, staleTime: 60_000, select: ({ title }) => title });
  return <Heading to="/tasks/$taskId" taskId={taskId} title={title} />;
}

/** What the task of an own agent is to do. */
function OfJob({ taskId, isSeen }: { taskId: string; isSeen: boolean }) {
  const job = useQuery({ ...jobQuery(taskId), enabled: isSeen, staleTime: 60_000, refetchInterval: false });
  return (
    <Heading
      to="/jobs/$taskId"
      taskId={taskId}
      title={{ data: job.data?.title, error: job.error ?? job.data === null }}
    />
  );
}

/** Its line has its height before the title is known. */
function Heading({ to, taskId, title }: { to: '/tasks/$taskId' | '/jobs/$taskId'; taskId: string; title: Title }) {
  return (
    <h2 className="flex h-9 items-end px-5 pl-10 text-small">
      {title.data !== undefined ? (
        <TextLink to={to} params={{ taskId }} className="truncate">
          <bdi>{title.data}</bdi>
        </TextLink>
      ) : title.error ? (
        <TextLink to={to} params={{ taskId }}>
          A task
        </TextLink>
      ) : (
        <span className="skeleton inline-block h-4 w-48" />
      )}
    </h2>
  );
}

const Dot = ({ children }: { children?: ReactNode }) => <span className="mt-2 size-2 shrink-0">{children}</span>;

function Row({ notification, onRead }: { notification: Notification; onRead: (id: string) => void }) {
  const { id, title, text, createdAt, readAt } = notification;
  const textId = useId();
  const target = targetOf(notification);
  const read = () => {
    if (!readAt) onRead(id);
  };
  return (
    <li className={cx('flex items-start gap-3 px-5 py-3', !readAt && 'bg-accent-wash/40')}>
      <Dot>
        {!readAt && <span className="block size-2 rounded-full bg-accent" />}
        {!readAt && <span className="sr-only">Unread: </span>}
      </Dot>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className={readAt ? 'text-soft' : 'font-medium'}>{title}</span>
          <span className="text-small text-faint">
            <Time at={createdAt} />
          </span>
        </p>
        <p id={textId} dir="auto" className="mt-0.5 text-small text-soft [overflow-wrap:anywhere]">
          {text}
        </p>
        <div className="mt-1 flex min-h-8 flex-wrap items-center gap-x-4 text-small">
          {target && (
            <TextLink {...target[1]} onClick={read} aria-describedby={textId}>
              {target[0]}
            </TextLink>
          )}
          {!readAt && (
            <Button
              small
              kind="quiet"
              onClick={read}
              aria-label={`Mark as read: ${title}`}
              aria-describedby={textId}
              className="-ml-2.5"
            >
              <Check aria-hidden />
              Mark as read
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}
