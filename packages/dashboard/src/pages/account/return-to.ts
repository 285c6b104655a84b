import { pageFacts } from '../../api/page-facts.ts';

/**
 * Where to go after signing in, as an address for the router: `to` if it is a place of this dashboard, else the start.
 * Whatever leads to another origin (`//host`, `https://…`, `/\host`) is refused.
 */
export function returnTo(to: string | undefined): string {
  const base = pageFacts.base.replace(/\/$/, '');
  if (!to?.startsWith('/') || /^\/[/\\]/.test(to)) return `${base}/`;
  const url = URL.canParse(to, location.origin) ? new URL(to, location.origin) : null;
  if (url?.origin !== location.origin || /^\/(sign-in|sign-up)$/.test(url.pathname)) return `${base}/`;
  return `${base}${url.pathname}${url.search}${url.hash}`;
}
