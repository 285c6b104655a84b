import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import ts from 'typescript';

// Which part of the project may import which. Types count too: a type imported upwards ties the parts just as firmly.

const SERVER = '^packages/server/src';
const TEST = '[.]test[.]tsx?$';

/** Each names what may not be imported `to` where `from`, by patterns of paths, and why. */
const RULES = [
  {
    why: 'the contract is data: it runs in a browser as well, and has no input or output',
    from: { path: '^packages/contract/src/', pathNot: [TEST, '-cli[.]ts$'] },
    to: { pathNot: ['^packages/contract/src/', '^node_modules/zod$'] },
  },
  {
    why: 'the SDK is a thin client of the contract',
    from: { path: '^packages/sdk/src/', pathNot: [TEST] },
    to: { path: '^(packages|bench|examples)/', pathNot: ['^packages/(sdk|contract)/'] },
  },
  {
    why: 'what talks to the server does it through the SDK',
    from: { path: '^(packages/(mcp|dashboard)|examples)/', pathNot: [TEST, '^packages/dashboard/test/'] },
    to: { path: '^packages/', pathNot: ['^packages/(sdk|contract|mcp|dashboard)/'] },
  },
  {
    why: 'the server is used over HTTP; only the command that starts it imports it, and what measures its parts',
    from: { pathNot: ['^packages/(server|cli)/', '^(bench|interop)/', '^packages/dashboard/test/', TEST] },
    to: { path: '^packages/server/' },
  },
  {
    why: 'the server knows the contract, and the tools it serves; its clients it does not know, but for the SDK by which A2A calls it',
    from: { path: SERVER, pathNot: [TEST, `${SERVER}/a2a/`] },
    to: { path: '^(packages|bench|examples)/', pathNot: ['^packages/(server|contract|mcp)/'] },
  },
  {
    why: 'what others use of the platform is exported by its index.ts, or by that of one of its folders',
    from: { path: '^packages/', pathNot: [`${SERVER}/platform/`] },
    to: { path: `${SERVER}/platform/`, pathNot: [`${SERVER}/platform/([^/]+/)?index[.]ts$`] },
  },
];

/** A district imports those in rows below its own, and only through their index.ts. */
function rulesOfDistricts(rows) {
  const districts = rows.flat();
  const known = {
    why: 'a new folder of the server needs its row in packages/server/districts.cjs',
    from: {},
    to: { path: `${SERVER}/[^/]+/`, pathNot: [`${SERVER}/(${districts.join('|')})/`] },
  };
  const order = rows.flatMap((row, level) =>
    row.map((district) => {
      const barred = rows.slice(level).flatMap((peers) => peers.filter((other) => other !== district));
      return {
        why: `${district} may import only districts below it; go upwards by an event or a job name`,
        // A test beside the code may set the scene with districts above it.
        from: { path: `${SERVER}/${district}/`, pathNot: [TEST] },
        to: { path: `${SERVER}/((${barred.join('|') || '-'})/|[^/]+$)` },
      };
    }),
  );
  const doors = districts
    .filter((district) => district !== 'platform')
    .map((district) => ({
      why: `what others use of ${district} is exported by its index.ts, and what threads read by its archive.ts`,
      // Tests may look behind a door.
      from: { path: '^packages/', pathNot: [`${SERVER}/${district}/`, TEST, '^packages/server/test/'] },
      to: { path: `${SERVER}/${district}/`, pathNot: [`${SERVER}/${district}/(index|archive)[.]ts$`] },
    }));
  return [known, ...order, ...doors];
}

const compiled = ({ why, from, to }) => {
  const matcher = ({ path = '', pathNot = [] }) => {
    const [wanted, others] = [new RegExp(path), pathNot.map((each) => new RegExp(each))];
    return (file) => wanted.test(file) && !others.some((other) => other.test(file));
  };
  return { why, from: matcher(from), to: matcher(to) };
};

/** Only those who work on the project run these, and there all packages are installed. */
const NOT_SHIPPED = new RegExp(`${TEST}|^packages/[^/]+/(test/|build/|vite[.]config)|^(scripts|interop)/|^[^/]+$`);

/** Checks the imports of these files of a checkout, and returns one line for each violation. */
export function checkImports(root, files) {
  const districts = join(root, 'packages', 'server', 'districts.cjs');
  const rows = existsSync(districts) ? createRequire(import.meta.url)(districts).rows : [];
  const rules = [...RULES, ...rulesOfDistricts(rows)].map(compiled);
  const { graph, workspaces } = readImports(root, files);
  const problems = [...graph].flatMap(([file, imports]) => {
    const active = rules.filter(({ from }) => from(file));
    return imports.flatMap((each) => {
      if (each.to === undefined) return [`${file}: imports ${each.specifier}, which does not exist`];
      if (!isDeclared(file, each, workspaces))
        return [`${file}: imports ${each.specifier}, which is no dependency in its package.json`];
      return active.filter(({ to }) => to(each.to)).map(({ why }) => `${file}: imports ${each.to}, but ${why}`);
    });
  });
  return [...new Set(problems), ...circlesIn(graph)];
}

/** What each of these files imports. */
export function readImports(root, files) {
  const workspaces = workspacesOf(root);
  return { workspaces, graph: new Map(files.map((file) => [file, importsOf(root, file, workspaces)])) };
}

/** The packages of the project by their name, with where they are and what they say of themselves. */
function workspacesOf(root) {
  const packages = join(root, 'packages');
  const inPackages = existsSync(packages) ? readdirSync(packages).map((name) => `packages/${name}`) : [];
  const all = ['', ...inPackages, 'bench', 'examples', 'interop'].flatMap((directory) => {
    const path = join(root, directory, 'package.json');
    return existsSync(path) ? [{ directory, manifest: JSON.parse(readFileSync(path, 'utf8')) }] : [];
  });
  return new Map(all.map((each) => [each.manifest.name, each]));
}

/** `to` is a path in the project, `node_modules/<package>` or `node:<module>`; undefined where there is nothing. */
function importsOf(root, file, workspaces) {
  const text = readFileSync(join(root, file), 'utf8');
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => ({
    specifier: fileName,
    to: resolve(root, file, fileName.replace(/\?.*$/, ''), workspaces),
    isType: /\b(import|export)\s+type\b[^'";]*['"]?$/.test(text.slice(Math.max(0, pos - 2_000), pos)),
  }));
}

function resolve(root, file, specifier, workspaces) {
  if (isBuiltin(specifier)) return `node:${specifier.replace(/^node:/, '')}`;
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(file), specifier);
    // What is generated, as a build, is not there in a fresh clone.
    return existsSync(join(root, path)) || /(^|\/)(dist|build)\//.test(path) ? path : undefined;
  }
  const name = packageOf(specifier);
  const workspace = workspaces.get(name);
  if (!workspace) return `node_modules/${name}`;
  const door = workspace.manifest.exports?.[`.${specifier.slice(name.length)}`]?.['agora-source'];
  return door && posix.join(workspace.directory, door);
}

const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function isDeclared(file, { to, isType }, workspaces) {
  if (!to.startsWith('node_modules/') || NOT_SHIPPED.test(file)) return true;
  const owner = [...workspaces.values()].findLast(
    ({ directory }) => directory === '' || file.startsWith(`${directory}/`),
  );
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = owner?.manifest ?? {};
  const shipped = { ...dependencies, ...optionalDependencies, ...peerDependencies };
  const name = to.slice('node_modules/'.length);
  return name in shipped || (isType && name in { ...devDependencies });
}

/** Files that import each other cannot be understood one at a time. */
function circlesIn(graph) {
  const circles = [];
  const done = new Set();
  const visit = (file, above) => {
    const at = above.indexOf(file);
    if (at >= 0) return void circles.push(`${[...above.slice(at), file].join(' → ')}: a circle of imports`);
    if (done.has(file)) return;
    for (const { to } of graph.get(file) ?? []) if (graph.has(to)) visit(to, [...above, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return circles;
}
