import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWith, keepCompiled } from '../packages/cli/bin/newer.mjs';
import { reportFailure, root, SetupError, setup, useNewerNode } from './setup.mjs';

// `npm start`, `npm run dev`, `npm run demo`, `npm run bench -- <name>` and `npm run sim -- <name>` come through here.

const [command, ...args] = process.argv.slice(2);

const commands = {
  serve: () => runHere('packages/cli/dist/main.js', ['serve', ...args]),
  demo: () => runHere('examples/dist/demo.js', args),
  bench: () => runHere(`bench/dist/${benchName('bench')}.js`, args.slice(1)),
  // What is simulated on the server's own functions stands beside the benches.
  sim: () => runHere(`bench/dist/${benchName('sim')}.js`, args.slice(1)),
  dev: () => runWatched('packages/cli/src/main.ts', ['serve', ...args], watchDashboard()),
};

function benchName(kind) {
  const name = args[0] ?? '';
  if (!/^[a-z][a-z0-9-]*$/.test(name))
    throw new SetupError(`say which: npm run ${kind} -- <name> (see bench/README.md)`);
  return name;
}

/**
 * Runs a program in this very process: signals and exit codes are its own, and no second Node takes memory.
 */
async function runHere(script, argv) {
  const path = join(root, script);
  if (!existsSync(path)) throw new SetupError(`${script} does not exist`);
  process.argv = [process.execPath, path, ...argv];
  keepCompiled();
  await import(pathToFileURL(path).href);
}

/** Builds the dashboard again when one of its sources changes; the page is then loaded again by hand. */
function watchDashboard() {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  return spawn(process.execPath, [vite, 'build', '--watch', '--clearScreen', 'false', '--logLevel', 'warn'], {
    cwd: join(root, 'packages', 'dashboard'),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** Restarts the program when a source changes; that takes a process of its own. What runs beside it ends with it. */
function runWatched(script, argv, beside) {
  const watch = ['--watch', '--watch-preserve-output', '--experimental-strip-types', '--conditions=agora-source'];
  const options = [...watch, '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...options, join(root, script), ...argv], { stdio: 'inherit' });
  child.on('exit', () => beside.kill());
  // The watcher passes a signal to the program it runs, and does not end when that is not running just now.
  for (const signal of ['SIGTERM', 'SIGHUP'])
    process.on(signal, () => setTimeout(() => child.kill('SIGKILL'), 15_000).unref());
  return endWith(child);
}

/**
 * npm runs scripts under a shell. It passes a signal on to the shell only, which dies and leaves us running. So a
 * change of parent, or of the shell's parent, counts as the signal.
 */
function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && parentOf(parent) === grandparent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  timer.unref();
}

function parentOf(pid) {
  if (process.platform !== 'linux') return undefined;
  try {
    return /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

try {
  const start = commands[command];
  if (!start) throw new SetupError(`usage: node scripts/run.mjs ${Object.keys(commands).join(' | ')}`);
  endWithNpm();
  await useNewerNode();
  const hasPages = ['serve', 'demo'].includes(command) || args[0] === 'dashboard';
  // The bench of the dashboard asks Lighthouse.
  const largeTools = command === 'bench' && args[0] === 'dashboard';
  await setup({ build: command !== 'dev', dashboard: hasPages, largeTools });
  await start();
} catch (error) {
  reportFailure(error);
}
