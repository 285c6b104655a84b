import lines from './lines.cjs';

const statuses = { pass: 'passed', passed: 'passed', fail: 'failed', failed: 'failed' };

function report(file, name, state, ms) {
  lines.report({ runner: 'vitest', file, name, status: statuses[state] ?? 'skipped', ms: ms ?? null });
}

/** Tasks of Vitest up to 3, whose suites hold their tests. */
function walk(tasks, file, titles) {
  for (const task of tasks) {
    const names = [...titles, task.name];
    if (task.tasks) walk(task.tasks, file, names);
    else report(file, names.join(' > '), task.mode === 'todo' ? 'skip' : task.result?.state, task.result?.duration);
  }
}

export default class Reporter {
  #isModern = false;

  onInit({ vite, server, projects = [], config }) {
    const { configFile, configFileDependencies = [] } = (vite ?? server).config;
    for (const file of [configFile, ...configFileDependencies]) lines.steers(file);
    for (const each of [config, ...projects.map((project) => project.config)]) {
      for (const file of [each.setupFiles, each.globalSetup].flat()) lines.steers(file);
    }
  }

  onTestRunEnd(modules) {
    this.#isModern = true;
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        report(module.moduleId, test.fullName, test.result().state, test.diagnostic()?.duration);
      }
      if (tests.length === 0 && module.state() === 'failed') report(module.moduleId, '', 'failed');
    }
  }

  onFinished(files) {
    if (this.#isModern) return;
    for (const file of files) {
      walk(file.tasks, file.filepath, []);
      if (file.tasks.length === 0 && file.result?.state === 'fail') report(file.filepath, '', 'failed');
    }
  }
}
