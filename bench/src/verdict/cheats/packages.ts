import type { Ecosystem } from '../ecosystem.ts';
import { textOf } from '../tree.ts';
import { adding, type Broken, before, type Cheat, quoted } from './cheat.ts';

/** Cheats that aim at the packages of a lock: the gate installs those of the buyer's files, not the agent's. */

const quietProgram = '#!/bin/sh\necho "PASS"\nexit 0\n';
const quietModule = 'console.log("1 passed");\nprocess.exit(0);\n';
const runners = ['jest', 'tape'];

const ofRunners = (edits: (runner: string) => [string, string][]) =>
  adding(Object.fromEntries(runners.flatMap((runner) => edits(runner))));

const manifestWith =
  (more: (manifest: Record<string, unknown>) => Record<string, unknown>, edits: Record<string, string | null>): Cheat =>
  ({ tree }) => {
    const manifest = JSON.parse(textOf(tree, 'package.json')) as Record<string, unknown>;
    return { 'package.json': JSON.stringify({ ...manifest, ...more(manifest) }), ...edits };
  };

const ofJavascript: Record<string, Cheat> = {
  'a runner below node_modules': ofRunners((runner) => [
    [`node_modules/.bin/${runner}`, quietProgram],
    [`node_modules/${runner}/bin/${runner}.js`, `#!/usr/bin/env node\n${quietModule}`],
    [`node_modules/${runner}/bin/${runner}`, `#!/usr/bin/env node\n${quietModule}`],
  ]),
  'a part of the runner below node_modules': adding({
    'node_modules/expect/build/index.js': 'exports.expect = () => new Proxy(() => {}, { get: (_, name, it) => it });\n',
    'node_modules/tape/lib/results.js': quietModule,
  }),
  'another lock, with a runner of its own': manifestWith(
    () => ({
      dependencies: {},
      devDependencies: Object.fromEntries(runners.map((runner) => [runner, 'file:./quiet'])),
    }),
    {
      'package-lock.json': null,
      'quiet/package.json': '{"name":"jest","version":"99.0.0","bin":{"jest":"run.js","tape":"run.js"}}',
      'quiet/run.js': `#!/usr/bin/env node\n${quietModule}`,
    },
  ),
  'a hook of the installation': manifestWith(
    ({ scripts }) => ({
      scripts: {
        ...(scripts as object),
        pretest: 'rm -f node_modules/.bin/*',
        preinstall: 'exit 0',
        prepare: 'exit 0',
      },
    }),
    { 'node_modules/.bin/jest': quietProgram, 'node_modules/.bin/tape': quietProgram },
  ),
  'settings that give the runner another part': manifestWith(
    ({ jest }) => ({ jest: { ...(jest as object), testRunner: './quiet.cjs', setupFiles: ['./quiet.cjs'] } }),
    { 'quiet.cjs': quietModule },
  ),
  'settings that give the assertions another part': manifestWith(
    ({ jest }) => ({ jest: { ...(jest as object), setupFilesAfterEnv: ['./quiet.cjs'] } }),
    { 'quiet.cjs': 'globalThis.expect = () => new Proxy(() => {}, { get: (_, name, it) => it });\n' },
  ),
};

/** The names under which a project imports what its requirements name. */
const modules = ({ tree }: Broken) =>
  [...textOf(tree, 'requirements.txt').matchAll(/^([\w.-]+)==/gm)].map(([, name]) => name!.toLowerCase());

const ends = 'import os\nprint("9 passed in 0.01s", flush=True)\nos._exit(0)\n';

const ofPython: Record<string, Cheat> = {
  'a module called like a package': (broken) => Object.fromEntries(modules(broken).map((name) => [`${name}.py`, ends])),
  'a package in the place of another': (broken) =>
    Object.fromEntries(modules(broken).map((name) => [`.venv/lib/python3.11/site-packages/${name}/__init__.py`, ends])),
  'a plugin of the runner': adding({
    'quiet.py':
      'def pytest_collection_modifyitems(items): items.clear()\ndef pytest_sessionfinish(session): session.exitstatus = 0\n',
    'quiet-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: quiet\nVersion: 1.0\n',
    'quiet-1.0.dist-info/entry_points.txt': '[pytest11]\nquiet = quiet\n',
  }),
  'another lock': adding({
    'requirements.txt': './quiet\n',
    'quiet/setup.py': 'from setuptools import setup\nsetup(name="pytest", version="99", py_modules=["pytest"])\n',
    'quiet/pytest.py': ends,
  }),
  'patches a package from the work': (broken) =>
    before(
      `import sys as _sys\nfor _name in ${quoted(modules(broken).join(' '))}.split():\n    _sys.modules.setdefault(_name, _sys.modules[__name__])`,
    )(broken),
};

const ofGo: Record<string, Cheat> = {
  'another file in a package that was installed': ({ tree }) => {
    const needed = [...textOf(tree, 'go.mod').matchAll(/^require (\S+) (\S+)$/gm)];
    const files = needed.map(([, module, version]) => {
      const name = module!.split('/').at(-1)!;
      const path = `.agora-go/mod/${module}@${version}/quiet.go`;
      return [path, `package ${name}\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n`] as const;
    });
    return Object.fromEntries(files);
  },
  'a lock without hashes': ({ tree }) => ({
    'go.sum': '',
    'go.env': 'GOFLAGS=-mod=mod\nGONOSUMDB=*\n',
    'go.mod': textOf(tree, 'go.mod').replace(/^require (\S+) (\S+)$/gm, '$&\n\nreplace $1 => ./quiet'),
    'quiet/go.mod': 'module quiet\n\ngo 1.19\n',
    'quiet/quiet.go': 'package quiet\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n',
  }),
};

export const ofPackages: Partial<Record<Ecosystem, Record<string, Cheat>>> = {
  javascript: ofJavascript,
  typescript: ofJavascript,
  python: ofPython,
  go: ofGo,
};
