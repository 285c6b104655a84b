import { urlsOfHosts } from '../urls-of-hosts.ts';

/** A user without a host is what `?host=/run/postgresql` goes with; URL cannot read that. */
const readable = (url: string) => url.replace('@/', '@localhost/');

export function isPostgresUrl(text: string): boolean {
  const isOne = (url: string) => /^postgres(ql)?:\/\//i.test(url) && URL.canParse(readable(url));
  if (!urlsOfHosts(text).every(isOne)) return false;
  const wanted = new URL(readable(urlsOfHosts(text)[0] as string)).searchParams.get('target_session_attrs');
  return wanted === null || ['any', 'primary', 'read-write'].includes(wanted);
}

/** As `"agora" at db1:5432, db2:5432`. */
export function placeOfDatabase(url: string): string {
  const urls = urlsOfHosts(url).map((each) => new URL(readable(each)));
  const name = urls[0]?.pathname.slice(1);
  return `"${name}" at ${urls.map(({ hostname, port }) => `${decodeURIComponent(hostname)}:${port || 5432}`).join(', ')}`;
}
