import { RegistryFault } from '../ecosystem.ts';

/** The files that an index of Python has of a package, and the one that fits this machine best. */

export interface IndexFile {
  filename: string;
  url: string;
  /** SHA-256 in hex. */
  hash: string;
}

/** Of the sandbox. */
export interface PythonVersion {
  major: number;
  minor: number;
  /** As wheels name it: `x86_64`, `aarch64`. */
  machine: string;
}

/** The answer of an index: JSON (PEP 691), or the older page of links (PEP 503). */
export function filesOf(answer: string, isJson: boolean, base: string): IndexFile[] {
  const found = isJson ? inJson(answer) : inPage(answer);
  return found.flatMap(({ filename, url, hash }) => {
    if (!URL.canParse(url, base) || !/^[0-9a-f]{64}$/.test(hash)) return [];
    return [{ filename, url: new URL(url, base).href, hash }];
  });
}

function inJson(answer: string): IndexFile[] {
  const files = filesIn(answer);
  if (!Array.isArray(files)) return [];
  return files.map((each) => ({
    filename: String(each?.filename),
    url: String(each?.url),
    hash: String(each?.hashes?.sha256).toLowerCase(),
  }));
}

function filesIn(answer: string): unknown {
  try {
    return JSON.parse(answer)?.files;
  } catch (cause) {
    throw new RegistryFault('The index sends no JSON', { cause });
  }
}

function inPage(answer: string): IndexFile[] {
  return [...answer.matchAll(/<a\s[^>]{0,2000}?href="([^"#]{1,2000})#sha256=([0-9a-f]{64})"/gi)].map(
    ([, url, hash]) => {
      const filename = decodeURIComponent(url!.slice(url!.lastIndexOf('/') + 1));
      return { filename, url: url!, hash: hash!.toLowerCase() };
    },
  );
}

const plain = (text: string) => text.toLowerCase().replace(/[-_.]+/g, '_');
/** 1.0 and 1.0.0 are one version. */
const plainVersion = (text: string) => plain(text.replace(/^v/, '').replace(/(?:\.0)+$/, ''));

/** The best of those with this version: made for this Python, then for any, then the sources; null where none fits. */
export function bestFile(
  files: readonly IndexFile[],
  name: string,
  version: string,
  python: PythonVersion,
): IndexFile | null {
  let best: { file: IndexFile; rank: number } | null = null;
  for (const file of files) {
    const rank = rankOf(file.filename, name, version, python);
    if (rank > (best?.rank ?? 0)) best = { file, rank };
  }
  return best?.file ?? null;
}

function rankOf(filename: string, name: string, version: string, python: PythonVersion): number {
  const isIt = (stem: string) => {
    const [, given = '', of = ''] = /^(.+)-([^-]+)$/.exec(stem) ?? [];
    return plain(given) === plain(name) && plainVersion(of) === plainVersion(version);
  };
  if (filename.endsWith('.whl')) {
    const parts = filename.slice(0, -'.whl'.length).split('-');
    if (parts.length < 5 || !isIt(`${parts[0]}-${parts[1]}`)) return 0;
    return rankOfTags(parts.at(-3)!.split('.'), parts.at(-2)!.split('.'), parts.at(-1)!.split('.'), python);
  }
  const [, stem] = /^(.+)\.(?:tar\.gz|zip)$/.exec(filename) ?? [];
  return stem !== undefined && isIt(stem) ? 1 : 0;
}

function rankOfTags(
  pythons: string[],
  abis: string[],
  platforms: string[],
  { major, minor, machine }: PythonVersion,
): number {
  const isPlatform = (each: string) =>
    each === 'any' || (/^(?:manylinux|linux)/.test(each) && each.endsWith(`_${machine}`));
  if (!platforms.some(isPlatform)) return 0;
  const own = `cp${major}${minor}`;
  if (abis.includes(own) && pythons.includes(own)) return 5;
  const older = pythons.some((each) => {
    const [, than] = new RegExp(`^cp${major}(\\d{1,2})$`).exec(each) ?? [];
    return than !== undefined && Number(than) <= minor;
  });
  if (abis.includes('abi3') && older) return 4;
  if (!abis.includes('none')) return 0;
  if (pythons.some((each) => each === own || each === `py${major}${minor}`)) return 3;
  return pythons.includes(`py${major}`) ? 2 : 0;
}
