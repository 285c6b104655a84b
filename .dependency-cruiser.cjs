// The dependency rules of the house (CONTRIBUTING.md). A district imports rows below its own, and only through their
// index.ts.
const { rows } = require('./packages/server/districts.cjs');
const districts = rows.flat();
const server = '^packages/server/src';
const tests = '[.]test[.]tsx?$';

const downwards = rows.flatMap((row, level) =>
  row.map((district) => {
    const barred = rows
      .slice(level)
      .flat()
      .filter((other) => other !== district);
    return {
      name: `${district}-imports-downwards`,
      comment: `${district} may import only districts below it; go upwards by an event or a job name`,
      severity: 'error',
      // A test beside the code may set the scene with districts above it.
      from: { path: `${server}/${district}/`, pathNot: tests },
      to: { path: [...barred.map((other) => `${server}/${other}/`), `${server}/[^/]+$`] },
    };
  }),
);

const doors = districts
  .filter((district) => district !== 'platform')
  .map((district) => ({
    name: `${district}-has-one-door`,
    comment: `what others use of ${district} is exported by its index.ts, and what threads read by its archive.ts`,
    severity: 'error',
    // Tests may look behind a door.
    from: { path: '^packages/', pathNot: [`${server}/${district}/`, tests, '^packages/server/test/'] },
    to: { path: `${server}/${district}/`, pathNot: `${server}/${district}/(index|archive)[.]ts$` },
  }));

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'files that import each other cannot be understood one at a time',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'an import that leads nowhere would escape every other rule',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared',
      comment: 'what a package imports stands in its own package.json',
      severity: 'error',
      from: { pathNot: [tests, '^packages/[^/]+/(test/|build/|vite[.]config)', '^scripts/', '^[^/]+$'] },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'contract-imports-zod-alone',
      comment: 'the contract is data: it runs in a browser as well, and has no input or output',
      severity: 'error',
      from: { path: '^packages/contract/src/', pathNot: [tests, '-cli[.]ts$'] },
      to: { pathNot: ['^packages/contract/src/', '/node_modules/zod/', '^node_modules/(zod|typeid-js)/'] },
    },
    {
      name: 'sdk-imports-contract',
      comment: 'the SDK is a thin client of the contract',
      severity: 'error',
      from: { path: '^packages/sdk/src/', pathNot: tests },
      to: { path: '^(packages|bench|examples)/', pathNot: '^packages/(sdk|contract)/' },
    },
    {
      name: 'clients-import-sdk-and-contract',
      comment: 'what talks to the server does it through the SDK',
      severity: 'error',
      from: { path: '^(packages/(mcp|dashboard)|examples)/', pathNot: [tests, '^packages/dashboard/test/'] },
      to: { path: '^packages/', pathNot: '^packages/(sdk|contract|mcp|dashboard)/' },
    },
    {
      name: 'only-cli-imports-server',
      comment: 'the server is used over HTTP; only the command that starts it imports it, and what measures its parts',
      severity: 'error',
      from: { pathNot: ['^packages/(server|cli)/', '^(bench|interop)/', '^packages/dashboard/test/', tests] },
      to: { path: '^packages/server/' },
    },
    {
      name: 'server-imports-contract',
      comment: 'the server knows the contract, and the tools it serves; its clients it does not know',
      severity: 'error',
      from: { path: server, pathNot: tests },
      to: { path: '^(packages|bench|examples)/', pathNot: '^packages/(server|contract|mcp)/' },
    },
    {
      name: 'known-district',
      comment: 'a new folder of the server needs its row in packages/server/districts.cjs',
      severity: 'error',
      from: {},
      to: { path: `${server}/[^/]+/`, pathNot: `${server}/(${districts.join('|')})/` },
    },
    {
      name: 'platform-has-doors',
      comment: 'what others use of the platform is exported by its index.ts, or by that of one of its folders',
      severity: 'error',
      from: { path: '^packages/', pathNot: `${server}/platform/` },
      to: {
        path: `${server}/platform/`,
        pathNot: [`${server}/platform/index[.]ts$`, `${server}/platform/[^/]+/index[.]ts$`],
      },
    },
    ...downwards,
    ...doors,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/dist/', '^packages/sdk/build/', '^packages/server/native/'] },
    // Types count too: a type imported upwards ties the districts just as firmly.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['agora-source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
    },
  },
};
