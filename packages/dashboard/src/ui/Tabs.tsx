import { Link, type LinkProps } from '@tanstack/react-router';

interface Tab {
  label: string;
  to: LinkProps['to'];
  params?: Record<string, string>;
  search?: Record<string, string>;
  /** A number behind the label, or `50+`. */
  count?: number | string | undefined;
  /** It is shown, although the address says more than the tab's own, as filters do. */
  current?: boolean;
}

/** Parts of one thing, each with an address of its own, so that back, reload and links work. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className="screen-only -mx-4 overflow-x-auto border-b border-line px-4 sm:mx-0 sm:px-0">
      <ul className="flex gap-5">
        {tabs.map(({ label: text, count, current, ...target }) => (
          <li key={text}>
            <Link
              {...(target as LinkProps)}
              aria-current={current ? 'page' : undefined}
              activeOptions={{ exact: true, includeSearch: true }}
              className="flex items-center gap-1.5 border-b-2 border-transparent py-2.5 text-small font-medium whitespace-nowrap text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
            >
              {text}
              {count !== undefined && (
                <span className="figures rounded-full bg-sunken px-1.5 text-tiny text-soft">{count}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
