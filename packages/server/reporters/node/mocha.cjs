'use strict';
const { realpathSync } = require('node:fs');
const { createRequire } = require('node:module');
const { report } = require('./lines.cjs');

/** The Mocha that runs. */
const { reporters } = createRequire(realpathSync(process.argv[1]))('mocha');

/** What people read is Mocha's own; a hook that fails has no test, so it is reported by its title. */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const tell = (status) => (test) => {
      const { file = null, duration = null } = test;
      report({ runner: 'mocha', file, name: test.titlePath().join(' > '), status, ms: duration });
    };
    runner.on('pass', tell('passed'));
    runner.on('fail', tell('failed'));
    runner.on('pending', tell('skipped'));
  }
};
