const form = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/is;

/** An address may name several hosts, as libpq takes it (`host1:5432,host2`): one address for each. */
export function urlsOfHosts(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = form.exec(url) ?? [];
  return before === '' ? [url] : hosts.split(',').map((host) => before + host + after);
}

/** A user without a host is what `?host=/run/postgresql` goes with; URL cannot read that. */
const readable = (url: string) => url.replace('@/', '@localhost/');

export function isPostgresUrl(text: string): boolean {
  if (!form.test(text) || !urlsOfHosts(text).every((url) => URL.canParse(readable(url)))) return false;
  const wanted = new URL(readable(urlsOfHosts(text)[0] as string)).searchParams.get('target_session_attrs');
  return wanted === null || ['any', 'primary', 'read-write'].includes(wanted);
}

/** As `"agora" at db1:5432, db2:5432`. */
export function placeOfDatabase(url: string): string {
  const urls = urlsOfHosts(url).map((each) => new URL(readable(each)));
  const name = urls[0]?.pathname.slice(1);
  return `"${name}" at ${urls.map(({ hostname, port }) => `${decodeURIComponent(hostname)}:${port || 5432}`).join(', ')}`;
}
