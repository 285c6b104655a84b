'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { report, steers } = require('./lines.cjs');

const statuses = { passed: 'passed', failed: 'failed' };

const configs = ['js', 'ts', 'mjs', 'cjs', 'json'].map((end) => `jest.config.${end}`);
const programs = ['setupFiles', 'setupFilesAfterEnv', 'testEnvironment', 'runner', 'resolver', 'testRunner'];

module.exports = class {
  onTestStart({ context: { config } }) {
    for (const name of configs) if (existsSync(join(config.rootDir, name))) steers(join(config.rootDir, name));
    const { transform = [] } = config;
    for (const file of [...programs.map((key) => config[key]), ...transform.map(([, path]) => path)].flat())
      steers(file);
  }

  onTestResult(test, { testResults, testExecError, failureMessage }) {
    const file = test.path;
    for (const { ancestorTitles, title, status, duration } of testResults) {
      const name = [...ancestorTitles, title].join(' > ');
      report({ runner: 'jest', file, name, status: statuses[status] ?? 'skipped', ms: duration ?? null });
    }
    const brokeOff = testResults.length === 0 && (testExecError || failureMessage);
    if (brokeOff) report({ runner: 'jest', file, name: '', status: 'failed', ms: null });
  }
};
