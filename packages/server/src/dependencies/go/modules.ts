/** go.mod and go.sum: which modules a project needs, with their hashes. */

export interface Sum {
  module: string;
  version: string;
  /** Of the module's files, or of its go.mod alone. */
  of: 'zip' | 'mod';
  /** In hex. */
  hash: string;
}

/** What becomes part of an address: of one that is too long, registries close the connection, as if they were down. */
const modulePattern = /^(?=.{1,300}$)[\w~][\w.~-]*(?:\/[\w~-][\w.~-]*)*$/;
const versionPattern = /^v\d[\w.+-]{0,200}$/;

/** Null for what the go command has not written. */
export function readSums(text: string): Sum[] | null {
  const sums: Sum[] = [];
  for (const line of text.split('\n')) {
    const words = line.trim().split(/\s+/);
    if (words.length === 1 && words[0] === '') continue;
    const [module = '', given = '', hash = ''] = words;
    const version = given.replace(/\/go\.mod$/, '');
    if (words.length !== 3 || !modulePattern.test(module) || !versionPattern.test(version)) return null;
    // Hashes of other kinds are for later versions of Go.
    const [, digest] = /^h1:([A-Za-z0-9+/]{43}=)$/.exec(hash) ?? [];
    if (digest === undefined) continue;
    const of = given === version ? 'zip' : 'mod';
    sums.push({ module, version, of, hash: Buffer.from(digest, 'base64').toString('hex') });
  }
  return sums;
}

export interface Mod {
  /** Whether it names all that is needed, which it does since Go 1.17. */
  isWhole: boolean;
  /** As `module version`. */
  required: string[];
  /** Modules that the project itself imports. */
  direct: string[];
}

export function readMod(text: string): Mod {
  const mod: Mod = { isWhole: false, required: [], direct: [] };
  let block: string | null = null;
  for (const line of text.split('\n')) {
    const [code = '', comment = ''] = line.split('//', 2);
    const words = code.split(/\s+/).flatMap((word) => word.replace(/^["`]|["`]$/g, '') || []);
    if (words[0] === ')') block = null;
    else if (words[1] === '(') block = words[0]!;
    else readLine(mod, block === null ? words : [block, ...words], comment.trim().startsWith('indirect'));
  }
  return mod;
}

function readLine(mod: Mod, [verb, first = '', second = '', ...rest]: string[], isIndirect: boolean): void {
  if (verb === 'go') {
    const [, minor] = /^1\.(\d{1,4})/.exec(first) ?? [];
    mod.isWhole = Number(minor) >= 17;
  } else if (verb === 'require') {
    mod.required.push(`${first} ${second}`);
    if (!isIndirect && modulePattern.test(first)) mod.direct.push(first);
  } else if (verb === 'replace') {
    const words = [second, ...rest];
    const by = words.slice(words.indexOf('=>') + 1);
    if (by.length === 2) mod.required.push(by.join(' '));
  }
}
