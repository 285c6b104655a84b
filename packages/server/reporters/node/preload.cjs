'use strict';
// Loaded by every Node process of a run (NODE_OPTIONS). Adds a reporter to the runners that take one only as an argument.
const { realpathSync } = require('node:fs');
const { join } = require('node:path');

/** Where a command names a reporter, that one prints as it would, because a check may read it. */
const runners = [
  {
    program: /\/vitest\/vitest\.mjs$/,
    usual: ['--reporter=default'],
    own: [`--reporter=${join(__dirname, 'vitest.mjs')}`],
  },
  {
    program: /\/jest(-cli)?\/bin\/jest\.js$/,
    usual: ['--reporters=default'],
    own: [`--reporters=${join(__dirname, 'jest.cjs')}`],
  },
  // Of these only one can report.
  { program: /\/mocha\/bin\/_?mocha(\.js)?$/, usual: ['--reporter', join(__dirname, 'mocha.cjs')], own: [] },
  { program: /\/ava\/entrypoints\/cli\.mjs$/, usual: ['--tap'], own: [] },
  { program: /\/(tap|@tapjs\/run)\/dist\/esm\/(run|index)\.mjs$/, usual: ['--reporter=tap'], own: [] },
];
const namesReporter = (argument) => /^(--reporters?(=|$)|-R)/.test(argument);

function started() {
  try {
    return realpathSync(process.argv[1]);
  } catch {
    return '';
  }
}

if (process.env.AGORA_REPORT) {
  const path = started();
  const found = runners.find(({ program }) => program.test(path));
  const isNamed = process.argv.slice(2).some(namesReporter);
  if (found) process.argv.push(...(isNamed ? [] : found.usual), ...found.own);
}
