import { UsageError } from '../../failure.ts';

/** From what a toolchain is made. */
export type Source = { name: string } & (
  | { kind: 'debian'; packages: string[] }
  | { kind: 'npm'; package: 'node'; version: string }
);

/** Debian's packages of the tools that tasks ask for by name. */
const debianPackages: Readonly<Record<string, string>> = {
  go: 'golang-go',
  rust: 'cargo',
  java: 'default-jdk-headless,maven',
  pytest: 'python3-pytest',
  python: 'python3',
  pip: 'python3-pip',
  make: 'make',
  git: 'git',
  c: 'gcc',
  ruby: 'ruby,bundler,ruby-dev',
  php: 'php-cli,composer,unzip,php-mbstring,php-xml',
};

const debianName = /^[a-z0-9][a-z0-9+.-]{1,79}$/;

/** As the contract takes it in `environment.tools`. */
const toolName = /^[a-z][a-z0-9+.-]{0,39}$/;

/** `go`, `node@22`, `debian:golang-go` or `npm:node@22`; `name` for another than that of the tool. */
export function sourceOf(text: string, name?: string): Source {
  if (name !== undefined && !toolName.test(name)) {
    throw new UsageError(
      `${name} is no name of a tool: it begins with a letter and has small letters, digits, +, . and -.`,
    );
  }
  const node = /^(?:npm:)?node@(\d{1,3}(?:\.\d{1,3}){0,2})$/.exec(text);
  if (node) return { name: name ?? 'node', kind: 'npm', package: 'node', version: node[1]! };
  const known = Object.hasOwn(debianPackages, text) ? debianPackages[text] : undefined;
  const packages = (known ?? /^debian:(.+)$/.exec(text)?.[1])?.split(',') ?? [];
  if (packages.length === 0 || !packages.every((each) => debianName.test(each))) {
    throw new UsageError(
      `${text} is no source. Give a tool (${Object.keys(debianPackages).join(', ')}, node@22), or Debian's packages: debian:golang-go.`,
    );
  }
  const begins = `${packages.join(',')},`;
  const tool = Object.keys(debianPackages).find((each) => `${debianPackages[each]},`.startsWith(begins));
  const named = name ?? tool ?? packages[0]!;
  if (!toolName.test(named)) throw new UsageError(`Name the tool of ${packages[0]} with --name.`);
  return { name: named, kind: 'debian', packages };
}

export const textOf = (source: Source): string =>
  source.kind === 'npm' ? `npm:${source.package}@${source.version}` : `debian:${source.packages.join(',')}`;

/** The shortest source of a tool that tasks ask for by name. Of Node it is the version that this program runs on. */
export const plainSourceOf = (tool: string): string =>
  tool === 'node' ? `node@${process.versions.node.split('.')[0]}` : tool;
