import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as module from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs under any Node, however old, and from anywhere: set-up comes here too, before anything is installed.

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Where set-up of a clone installs a Node on machines whose own is too old. A package has none. */
export const directory = here('../../../scripts/node/');
const program = join(directory, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');

const { engines } = JSON.parse(readFileSync(here('../package.json'), 'utf8'));

/** Whether this Node is at least the one that `engines` of the project asks for. */
export function isNewEnough(version = process.versions.node) {
  const [least, given] = [engines.node, version].map((text) => text.replace(/^>=/, '').split('.').map(Number));
  return given[0] > least[0] || (given[0] === least[0] && given[1] >= least[1]);
}

/** The sentence for a machine on which no newer Node could be installed. */
export const refusal = `Agora needs Node ${engines.node.slice(2)} or newer; this is ${process.version}. See https://nodejs.org.`;

/**
 * Lets the next start read what this one compiles. It is kept with the command: a directory that any user could make first
 * could hold code of theirs.
 */
export const keepCompiled = () => module.enableCompileCache(here('../node_modules/.cache/compiled'));

/** Runs this very command with the newer Node, and ends as it ends. False if there is none. */
export async function continueOnNewer() {
  if (!existsSync(program)) return false;
  // Programs that are started by name, as npm and npx are, find it too.
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}` };
  const child = spawn(program, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit', env });
  return endWith(child);
}

/** Passes signals on to a child, and ends as the child ends. */
export function endWith(child) {
  // A terminal sends Ctrl-C to the child as well, and a second one would cut its shutdown short.
  const isOnTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  process.on('SIGINT', () => isOnTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((_, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code !== null) process.exit(code);
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    });
  });
}
