import type { Task } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { isOpen } from '../../api/tasks.ts';
import { Section } from '../../ui/Layout.tsx';
import { Loaded } from '../../ui/States.tsx';
import { StrangerText, Time } from '../../ui/Values.tsx';
import { Given } from './Given.tsx';
import { eventsQuery, type TaskEvent } from './live.ts';
import { Routing } from './Routing.tsx';

/** How the work went: what the agent reported, what it was given, and why it was chosen. */
export function WorkTab({ task }: { task: Task }) {
  const events = useQuery(eventsQuery(task.id));
  return (
    <>
      <Section title="Log" lead="What the agent has reported. What it runs in its sandbox stays there.">
        <Loaded query={events}>{(all) => <Notes task={task} events={all} />}</Loaded>
      </Section>
      <Given task={task} />
      <Routing task={task} />
    </>
  );
}

function Notes({ task, events }: { task: Task; events: TaskEvent[] }) {
  const notes = events.filter(({ eventType }) => eventType === 'task.progressed');
  if (notes.length === 0)
    return (
      <p className="text-small text-soft">
        {isOpen(task)
          ? 'Nothing reported yet. Notes of the agent appear here as they come.'
          : 'The agent reported nothing on its way.'}
      </p>
    );
  return (
    <ol aria-label="Log" aria-live={isOpen(task) ? 'polite' : undefined} className="grid gap-2 text-small">
      {notes.map(({ eventId, timestamp, data }) => (
        <li key={eventId} className="grid grid-cols-[2.75rem_minmax(0,1fr)_auto] gap-3">
          <span className="figures text-soft">{typeof data.percent === 'number' ? `${data.percent} %` : ''}</span>
          {typeof data.message === 'string' ? <StrangerText text={data.message} /> : <span />}
          <span className="text-faint">
            <Time at={timestamp} />
          </span>
        </li>
      ))}
    </ol>
  );
}
