const form = /^([a-z+]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/is;

/** An address may name several hosts, as libpq takes it (`host1:5432,host2`): one address for each. */
export function urlsOfHosts(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = form.exec(url) ?? [];
  return before === '' ? [url] : hosts.split(',').map((host) => before + host + after);
}

/** The same, read; null where one cannot be read or names no host. */
export function readUrlsOfHosts(url: string): URL[] | null {
  const urls = urlsOfHosts(url).map((each) => URL.parse(each));
  return urls.every((each) => each !== null && each.hostname !== '') ? (urls as URL[]) : null;
}
