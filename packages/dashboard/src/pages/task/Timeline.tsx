import type { Task } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { dateTime } from '../../ui/format.ts';
import { Section } from '../../ui/Layout.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Money, StrangerText } from '../../ui/Values.tsx';
import { eventsQuery, type TaskEvent } from './live.ts';
import { told } from './timeline-words.ts';

const clock = new Intl.DateTimeFormat(navigator.language, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = (at: string) => new Date(at).toDateString();

/** What happened, when, and what moved. Progress notes stand with the work. */
export function Timeline({ task }: { task: Task }) {
  const query = useQuery(eventsQuery(task.id));
  return (
    <Section title="Timeline">
      <Loaded query={query}>
        {(events) => {
          const shown = events.filter(({ eventType }) => eventType !== 'task.progressed');
          return (
            <ol aria-label="Timeline" className="grid gap-3 text-small">
              {shown.map((event, at) => (
                <Entry key={event.eventId} event={event} before={shown[at - 1]} />
              ))}
            </ol>
          );
        }}
      </Loaded>
    </Section>
  );
}

function Entry({ event, before }: { event: TaskEvent; before: TaskEvent | undefined }) {
  const { text, note, moved, held } = told(event);
  const { timestamp } = event;
  const isNewDay = !before || day(before.timestamp) !== day(timestamp);
  return (
    <li className="relative border-l border-line pl-4 before:absolute before:top-1.5 before:-left-[3.5px] before:size-1.5 before:rounded-full before:bg-line-strong">
      <div className="flex items-baseline justify-between gap-3">
        <span className="min-w-0">{text}</span>
        {moved !== undefined && <Money cents={moved} signed />}
        {held !== undefined && <Money cents={held} className="text-soft" />}
      </div>
      {note && <StrangerText text={note.slice(0, 400)} className="text-soft" />}
      <time dateTime={timestamp} title={dateTime(timestamp)} className="figures text-tiny text-faint">
        {isNewDay ? dateTime(timestamp) : clock.format(new Date(timestamp))}
      </time>
    </li>
  );
}
