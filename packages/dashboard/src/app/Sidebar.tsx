import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { approvalsWaitingQuery } from '../api/approvals.ts';
import { type Place, places } from './nav.ts';

/** The places of an owner, in groups. */
export function Sidebar({ onGo }: { onGo?: () => void }) {
  return (
    <nav aria-label="Main" className="grid gap-5">
      {places.map((group) => (
        <div key={group.title}>
          <p className="px-2.5 pb-1 text-tiny font-medium text-faint">{group.title}</p>
          <ul className="grid gap-0.5">
            {group.places.map((place) => (
              <li key={place.to}>
                <PlaceLink place={place} {...(onGo && { onGo })} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function PlaceLink({ place: { to, label, icon: Icon }, onGo }: { place: Place; onGo?: () => void }) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/' }}
      {...(onGo && { onClick: onGo })}
      className="flex min-h-8 items-center gap-2.5 rounded-base px-2.5 text-small text-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-wash aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      {label}
      {to === '/approvals' && <Waiting />}
    </Link>
  );
}

function Waiting() {
  const waiting = useQuery(approvalsWaitingQuery).data;
  if (!waiting) return null;
  return (
    <span className="figures ml-auto rounded-full bg-warn-wash px-1.5 text-tiny font-medium text-warn">
      {waiting}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
