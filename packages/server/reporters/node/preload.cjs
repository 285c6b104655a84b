'use strict';
// Loaded by every Node process of a run (NODE_OPTIONS). Adds a reporter to the runners that take one only as an argument.
const { realpathSync } = require('node:fs');
const { join } = require('node:path');

const runners = [
  [/\/vitest\/vitest\.mjs$/, ['--reporter=default', `--reporter=${join(__dirname, 'vitest.mjs')}`]],
  [/\/jest(-cli)?\/bin\/jest\.js$/, ['--reporters=default', `--reporters=${join(__dirname, 'jest.cjs')}`]],
  [/\/mocha\/bin\/_?mocha(\.js)?$/, ['--reporter', join(__dirname, 'mocha.cjs')]],
  [/\/ava\/entrypoints\/cli\.mjs$/, ['--tap']],
  [/\/(tap|@tapjs\/run)\/dist\/esm\/(run|index)\.mjs$/, ['--reporter=tap']],
];

function started() {
  try {
    return realpathSync(process.argv[1]);
  } catch {
    return '';
  }
}

if (process.env.AGORA_REPORT) {
  const path = started();
  const found = runners.find(([program]) => program.test(path));
  if (found) process.argv.push(...found[1]);
}
