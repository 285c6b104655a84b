import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Entry, GitObjects } from './git-objects.ts';
import type { Branch } from './git-server.ts';
import { type Installed, installedWith } from './installed.ts';

export interface WebStack extends Branch {
  packages: number;
  files: number;
  bytes: number;
  commits: number;
}

/** The slip of the last commit: an encoded @ is no longer decoded. A test of the router's authors sees it. */
const slip = {
  package: 'find-my-way',
  path: 'lib/url-sanitizer.js',
  from: 'highCharCode > 52',
  to: 'highCharCode >= 52',
  message: 'Tidy the router',
};

const readme = `# Web stack

The web framework Fastify with everything it needs, each package below \`packages\` with its own licence, in the versions
that we run. \`npm test\` runs the router's own tests. Nothing has to be installed: the packages find each other by the
links in \`node_modules\`.
`;

const manifest = { name: 'web-stack', private: true, scripts: { test: 'node --test test/router.js' } };

/** One process for all files, because starting one for each takes longer than the tests. */
const routerTests = `'use strict'

const { readdirSync } = require('node:fs')
const { join } = require('node:path')

// These open sockets, want a package that is not here, or depend on the version of Node.
const leftOut = ['server.test.js', 'issue-330.test.js', 'methods.test.js', 'shorthands.test.js']

const tests = join(__dirname, '../packages/find-my-way/test')
for (const name of readdirSync(tests)) {
  if (name.endsWith('.test.js') && !leftOut.includes(name)) require(join(tests, name))
}
`;

/**
 * Makes a repository of the web framework that Agora runs on, from the packages installed here. It has one commit per
 * package, one for the tests, and one that breaks the router. The same packages give the same commits.
 */
export async function makeWebStack(): Promise<WebStack> {
  const packages = await installedWith('fastify');
  const builder = new Builder();
  const top = new Map([['README.md', builder.file('README.md', readme)]]);
  builder.commit('Say what this is', top);

  const trees = new Map<string, Entry>();
  const links = new Map<string, Entry>();
  const place = async ({ name, directory }: Installed, edit?: typeof slip) => {
    const [last = name, scope] = name.split('/').reverse();
    trees.set(name, await builder.directory(directory, last, edit));
    links.set(name, builder.link(last, `${scope ? '../' : ''}../packages/${name}`));
    top.set('packages', builder.byScope('packages', trees));
    top.set('node_modules', builder.byScope('node_modules', links));
  };
  for (const one of packages) {
    await place(one);
    builder.commit(`Add ${one.name} ${one.version}`, top);
  }
  top.set('package.json', builder.file('package.json', `${JSON.stringify(manifest, null, 2)}\n`));
  top.set('test', builder.tree('test', [builder.file('router.js', routerTests)]));
  builder.commit('Run the tests of the router', top);
  const { files, bytes } = builder;
  await place(packages.find(({ name }) => name === slip.package) as Installed, slip);
  builder.commit(slip.message, top);
  const { objects, head, commits } = builder;
  return { objects, head, name: 'main', commits, packages: packages.length, files, bytes };
}

/** Puts commits one upon the other, and counts them and the files and bytes on the way. */
class Builder {
  readonly objects = new GitObjects();
  head = '';
  commits = 0;
  files = 0;
  bytes = 0;

  file(name: string, content: string | Buffer, mode: Entry['mode'] = '100644'): Entry {
    this.files += 1;
    this.bytes += content.length;
    return { mode, name, id: this.objects.blob(Buffer.from(content as string)) };
  }

  link(name: string, target: string): Entry {
    return { mode: '120000', name, id: this.objects.blob(Buffer.from(target)) };
  }

  tree(name: string, entries: Entry[]): Entry {
    return { mode: '40000', name, id: this.objects.tree(entries) };
  }

  /** A directory as it lies here, with one edit made in it. */
  async directory(from: string, name: string, edit?: typeof slip): Promise<Entry> {
    const found = (await readdir(from, { withFileTypes: true })).filter(
      (entry) => entry.isDirectory() || entry.isFile(),
    );
    const entries = found.map((entry) => {
      const inner = join(from, entry.name);
      return entry.isDirectory() ? this.directory(inner, entry.name, edit) : this.#copy(inner, entry.name, edit);
    });
    return this.tree(name, await Promise.all(entries));
  }

  async #copy(from: string, name: string, edit?: typeof slip): Promise<Entry> {
    const content = await readFile(from);
    const mode = ((await stat(from)).mode & 0o100) === 0 ? '100644' : '100755';
    if (!edit || !from.endsWith(`/${edit.package}/${edit.path}`)) return this.file(name, content, mode);
    const parts = content.toString().split(edit.from);
    if (parts.length !== 2) throw new Error(`${edit.path} has no longer one place with "${edit.from}"`);
    return this.file(name, parts.join(edit.to), mode);
  }

  /** Entries by their packages' names; those with a scope stand in a directory of its name. */
  byScope(name: string, entries: Map<string, Entry>): Entry {
    const scopes = new Map<string, Entry[]>();
    for (const [full, entry] of entries) {
      const scope = full.includes('/') ? (full.split('/')[0] as string) : '';
      scopes.set(scope, [...(scopes.get(scope) ?? []), entry]);
    }
    const { '': own = [], ...scoped } = Object.fromEntries(scopes);
    return this.tree(name, [...own, ...Object.entries(scoped).map(([scope, inner]) => this.tree(scope, inner))]);
  }

  commit(message: string, top: Map<string, Entry>): void {
    const { id } = this.tree('', [...top.values()]);
    this.head = this.objects.commit({ message, tree: id, parent: this.head || null });
    this.commits += 1;
  }
}
