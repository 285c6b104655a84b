/** How the package ecosystems order their versions, as far as an advisory's ranges need it. */

export const ecosystems = ['npm', 'PyPI', 'Go', 'crates.io'] as const;
export type Ecosystem = (typeof ecosystems)[number];

export type Order = (one: string, other: string) => number;

const compareNumbers = (one: string, other: string) => {
  const a = one.replace(/^0+(?=\d)/, '');
  const b = other.replace(/^0+(?=\d)/, '');
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
};

const isNumber = (text: string) => /^\d+$/.test(text);

/** Of two identifiers of a pre-release numbers come first, and are compared as such. */
function compareIdentifiers(one: string, other: string): number {
  if (isNumber(one) && isNumber(other)) return compareNumbers(one, other);
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

function compareLists(one: readonly string[], other: readonly string[], missing: string | null): number {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const a = one[at] ?? missing;
    const b = other[at] ?? missing;
    if (a === null || b === null) return one.length - other.length;
    const order = compareIdentifiers(a, b);
    if (order !== 0) return order;
  }
  return 0;
}

/** Semantic versioning; ignores a leading `v` and everything after `+`. */
function bySemver(one: string, other: string): number {
  const parts = (text: string) => {
    const [release = '', ...pre] = text.replace(/^v/, '').split('+')[0]!.split('-');
    return { release: release.split('.'), pre: pre.length === 0 ? null : pre.join('-').split('.') };
  };
  const a = parts(one);
  const b = parts(other);
  const order = compareLists(a.release, b.release, '0');
  if (order !== 0) return order;
  if (a.pre === null || b.pre === null) return a.pre === b.pre ? 0 : a.pre === null ? 1 : -1;
  return compareLists(a.pre, b.pre, null);
}

const pep440 =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?(?:[-_.]?(post|rev|r)[-_.]?(\d*)|-(\d+))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+.*)?$/;
const stages: Record<string, string> = {
  a: '1',
  alpha: '1',
  b: '2',
  beta: '2',
  c: '3',
  rc: '3',
  pre: '3',
  preview: '3',
};

/** PEP 440; other versions are compared only by their numbers. */
function byPep440(one: string, other: string): number {
  const parts = (text: string) => {
    const found = pep440.exec(text.toLowerCase().trim());
    if (found === null) return { release: text.match(/\d+/g) ?? ['0'], rest: ['4', '0', '0', '0', '1', '0'] };
    const [, epoch = '0', release = '0', stage, nth, post, postNth, bare, dev, devNth] = found;
    const hasPost = post !== undefined || bare !== undefined;
    // A development release of the release itself comes before its pre-releases.
    const rank = stage !== undefined ? stages[stage]! : dev !== undefined && !hasPost ? '0' : '4';
    const rest = [rank, nth || '0', hasPost ? '1' : '0', postNth || bare || '0', dev ? '0' : '1', devNth || '0'];
    return { release: [epoch, ...release.split('.')], rest };
  };
  const a = parts(one);
  const b = parts(other);
  return compareLists(a.release, b.release, '0') || compareLists(a.rest, b.rest, '0');
}

export const orders: Record<Ecosystem, Order> = { npm: bySemver, PyPI: byPep440, Go: bySemver, 'crates.io': bySemver };

/** Package names that mean the same are written the same. */
export const canonicalName = (ecosystem: Ecosystem, name: string) =>
  ecosystem === 'PyPI' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name;
