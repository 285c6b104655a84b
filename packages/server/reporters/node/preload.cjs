'use strict';
// Loaded by every Node process of a run (NODE_OPTIONS). Adds a reporter to the runners that take one only as an argument.
const { readdirSync, realpathSync } = require('node:fs');
const { join, resolve } = require('node:path');

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
  // Of these only one can report, and none tells its settings.
  {
    program: /\/mocha\/bin\/_?mocha(\.js)?$/,
    usual: ['--reporter', join(__dirname, 'mocha.cjs')],
    own: [],
    settings: /^\.mocharc\./,
  },
  { program: /\/ava\/entrypoints\/cli\.mjs$/, usual: ['--tap'], own: [], settings: /^ava\.config\./ },
  {
    program: /\/(tap|@tapjs\/run)\/dist\/esm\/(run|index)\.mjs$/,
    usual: ['--reporter=tap'],
    own: [],
    settings: /^\.taprc$/,
  },
];
const namesReporter = (argument) => /^(--reporters?(=|$)|-R)/.test(argument);

function started() {
  try {
    return realpathSync(process.argv[1]);
  } catch {
    return '';
  }
}

/** Settings that lie where the run starts, or that its command names. */
function tellSettings(names) {
  const { steers } = require('./lines.cjs');
  const given = process.argv.slice(2);
  const named = given.flatMap((argument, at) => {
    if (argument === '--config') return given[at + 1] ?? [];
    return argument.startsWith('--config=') ? argument.slice('--config='.length) : [];
  });
  for (const name of [...readdirSync('.').filter((name) => names.test(name)), ...named]) steers(resolve(name));
}

if (process.env.AGORA_REPORT) {
  const path = started();
  const found = runners.find(({ program }) => program.test(path));
  const isNamed = process.argv.slice(2).some(namesReporter);
  if (found?.settings) tellSettings(found.settings);
  if (found) process.argv.push(...(isNamed ? [] : found.usual), ...found.own);
}
