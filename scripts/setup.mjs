import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as newer from '../packages/cli/bin/newer.mjs';

// May need nothing but Node: this installs the rest.

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages of its own, which only the deep tests need: other makers' runtimes, checkers and agent frameworks. */
const interop = join(root, 'interop');

const INSTALLING = {
  [root]: 'installing npm packages (about a minute)',
  [interop]: 'installing npm packages of other makers, for tests (about a minute)',
  [newer.directory]: `installing Node 24 beside the project, because ${process.version} is too old`,
};

/** A failure that the user can act on; it is printed without a stack. */
export class SetupError extends Error {}

/**
 * Brings a clone to where it can run, and with `tests` (`quick` or `deep`) to where that tier can be tested. A second run
 * only checks, and needs no network. `build` compiles the programs, `dashboard` builds the web pages, `largeTools` are the
 * packages of interop.
 */
export async function setup({ build = true, tests, dashboard = true, largeTools = tests === 'deep' } = {}) {
  installPackages(root);
  if (largeTools) installPackages(interop);
  const missing = installSystemPackages(tests);
  if (build) await compile();
  if (build) await writePages();
  if (build) await buildNative(missing);
  if (dashboard) buildDashboard();
}

function say(message) {
  // On stderr, so that the output of a command can be piped.
  process.stderr.write(`setup: ${message}\n`);
}

/**
 * Goes on with a Node of the project's own where the machine's is too old: then it does not return, but ends as the same
 * command under that Node ends. Every command calls it first.
 */
export async function useNewerNode() {
  if (newer.isNewEnough()) return;
  if (process.platform === 'linux') installPackages(newer.directory);
  if (!(await newer.continueOnNewer())) throw new SetupError(newer.refusal);
}

function run(command, args, { env = {}, cwd = root } = {}) {
  const options = { cwd, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } };
  const { status, error } = spawnSync(command, args, options);
  return error ? error.message : status === 0 ? undefined : `it ended with code ${status}`;
}

function installPackages(directory) {
  const lock = readFileSync(join(directory, 'package-lock.json'));
  const stamp = join(directory, 'node_modules', '.agora-setup');
  const key = [createHash('sha256').update(lock).digest('hex'), process.version, process.platform, process.arch].join(
    ' ',
  );
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return;
  if (!isInstalled(directory, JSON.parse(lock))) {
    say(INSTALLING[directory]);
    installFromLock(directory);
  }
  writeFileSync(stamp, key);
}

export function installFromLock(directory) {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: directory, stdio: ['ignore', 'inherit', 'pipe'], encoding: 'utf8' };
  const clean = spawnSync('npm', ['ci', ...flags], options);
  if (clean.status === 0) return;
  if (clean.error) throw new SetupError(`npm could not be run: ${clean.error.message}`);
  // `npm ci` also refuses a lockfile that lacks optional packages, as npm writes it where the registry has none for
  // other kinds of machine. `npm install` keeps to the lockfile for all others. Those it takes as the registry gives
  // them, if this kind of machine wants them: the lockfile has no checksum of theirs.
  const missing = [...clean.stderr.matchAll(/Missing: ((@?[^@\s]+)@\S+)/g)];
  const optional = optionalPackages(directory);
  const isOnlyOptional = missing.length > 0 && missing.every(([, , name]) => optional.has(name));
  if (isOnlyOptional && !/Invalid:/.test(clean.stderr)) {
    const packages = [...new Set(missing.map(([, each]) => each))].join(', ');
    say(
      `package-lock.json does not hold these optional packages, so npm takes them unchecked if it wants them: ${packages}`,
    );
    const failure = run('npm', ['install', '--no-save', ...flags], { cwd: directory });
    if (!failure) return;
  }
  process.stderr.write(clean.stderr);
  throw new SetupError('"npm ci --ignore-scripts" failed with the message above; it must reach the npm registry.');
}

/** The packages that some package of the lockfile can do without. */
function optionalPackages(directory) {
  const { packages } = JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8'));
  return new Set(Object.values(packages).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies)));
}

/** Whether node_modules matches the lockfile, by npm's own record. */
function isInstalled(directory, lock) {
  const record = join(directory, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const present = JSON.parse(readFileSync(record, 'utf8')).packages;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    // Workspaces are links, and packages for other machines are optional.
    if (!path.includes('node_modules/') || wanted.link) return true;
    const found = present[path];
    return found ? found.version === wanted.version : Boolean(wanted.optional || wanted.peer);
  });
}

const SYSTEM_PACKAGES = [
  { name: 'bubblewrap', purpose: 'runs sandboxes', present: () => onPath('bwrap') },
  { name: 'gcc', purpose: 'builds the sandbox agent', present: () => onPath('gcc') || onPath('cc') },
  { name: 'libc6-dev', purpose: 'builds the sandbox agent', present: () => existsSync('/usr/include/stdio.h') },
  { name: 'git', purpose: "lays out buyers' repositories", present: () => onPath('git') },
];

/** With these, sandboxes run the tests of more projects. */
const TOOL_PACKAGES = [
  { name: 'make', purpose: "runs tests of buyers' projects", present: () => existsSync('/usr/bin/make') },
  { name: 'python3', purpose: "runs tests of buyers' projects", present: () => existsSync('/usr/bin/python3') },
  { name: 'python3-pip', purpose: 'installs their packages', present: () => existsSync('/usr/bin/pip3') },
  { name: 'python3-pytest', purpose: "runs tests of buyers' projects", present: () => existsSync('/usr/bin/pytest-3') },
];

/** Needed only by tests. The server and the demo do not need them. */
const TEST_PACKAGES = [
  { name: 'git', purpose: "serves the tests' repositories", present: hasHttpBackend },
  { name: 'postgresql', purpose: 'tests an older PostgreSQL', present: () => existsSync('/usr/lib/postgresql') },
  { name: 'chromium', purpose: 'tests the dashboard', present: () => onPath('chromium') },
];
const DEEP_PACKAGES = [
  { name: 'redis-server', purpose: 'tests shared rate limits', present: () => onPath('redis-server') },
  { name: 'podman', purpose: 'tests the docker driver', present: () => onPath('podman') },
  { name: 'runc', purpose: 'tests the docker driver', present: () => onPath('runc') },
];

const systemPackages = (tests) => [
  ...SYSTEM_PACKAGES,
  ...TOOL_PACKAGES,
  ...(tests ? TEST_PACKAGES : []),
  ...(tests === 'deep' ? DEEP_PACKAGES : []),
];

function onPath(command) {
  return (process.env.PATH ?? '').split(':').some((directory) => directory && existsSync(join(directory, command)));
}

/** Some systems pack git's server over HTTP apart from git. */
function hasHttpBackend() {
  const { stdout } = spawnSync('git', ['--exec-path'], { encoding: 'utf8' });
  return existsSync(join((stdout ?? '').trim(), 'git-http-backend'));
}

/** Installs what is missing if it may, otherwise prints how. Returns the names that are still missing. */
function installSystemPackages(tests) {
  if (process.platform !== 'linux') return [];
  const needed = systemPackages(tests);
  const missing = () => needed.filter((entry) => !entry.present());
  const wanted = missing().map((entry) => entry.name);
  if (wanted.length === 0) return [];
  const command = `apt-get update && apt-get install -y --no-install-recommends ${wanted.join(' ')}`;
  if (process.getuid() === 0 && onPath('apt-get')) {
    say(`installing system packages: ${wanted.join(', ')}`);
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    // A repository that is down is no reason to stop: the package lists at hand may do.
    run('apt-get', ['update', '-qq'], { env });
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...wanted], { env });
  }
  const left = missing();
  for (const { name, purpose } of left) {
    say(`${name} is missing (${purpose}): ${withoutIt(name)}`);
  }
  if (left.length > 0)
    say(`to install them on Debian or Ubuntu: ${process.getuid() === 0 ? '' : 'sudo '}sh -c '${command}'`);
  return left.map((entry) => entry.name);
}

function withoutIt(name) {
  const isIn = (entries) => entries.some((entry) => entry.name === name);
  if (isIn(SYSTEM_PACKAGES)) return 'sandboxes will not be available';
  return isIn(TOOL_PACKAGES) ? 'sandboxes go without it' : 'those tests will fail';
}

/** A server would do it when it starts. */
async function buildNative(missing) {
  if (process.platform !== 'linux') return;
  if (missing.includes('gcc') || missing.includes('libc6-dev')) {
    say('the sandbox agent is not built, because there is no C compiler');
    return;
  }
  const sandbox = await importSandbox();
  try {
    sandbox.buildNative({ log: say });
  } catch (error) {
    throw new SetupError(error.message);
  }
}

const importSandbox = () => import(pathToFileURL(join(root, 'packages', 'server', 'dist', 'sandbox', 'index.js')).href);

/** Imported late, for this file runs before anything is installed. */
async function compile() {
  const build = await import('./build.mjs');
  try {
    build.compile({ log: say });
  } catch (error) {
    throw new SetupError(`The TypeScript sources do not compile: ${error.message}`);
  }
}

/** What models read, for the server to serve. */
async function writePages() {
  const { writeLlms } = await import('./llms.mjs');
  writeLlms(join(root, 'packages', 'server', 'build', 'llms'));
}

/** What the dashboard is built from. */
const DASHBOARD_SOURCES = [
  ...['src', 'public', 'build', 'index.html', 'vite.config.ts'].map((name) => join('packages', 'dashboard', name)),
  join('packages', 'contract', 'src'),
  join('packages', 'sdk', 'src'),
  'package-lock.json',
];

/** Builds the dashboard, unless it was built from these very sources. */
export function buildDashboard() {
  const directory = join(root, 'packages', 'dashboard');
  // Vite empties the directory before it builds, so a build that failed leaves no stamp.
  const stamp = join(root, 'packages', 'server', 'build', 'dashboard', '.sources');
  const key = hashOf(DASHBOARD_SOURCES);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return;
  say('building the dashboard (a few seconds)');
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  // Tests come here too, whose own NODE_ENV would give another build.
  const env = { NODE_ENV: 'production' };
  const failure = run(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd: directory, env });
  if (failure) throw new SetupError('The dashboard cannot be built; Vite says why above.');
  writeFileSync(stamp, key);
}

/** A hash of the names and contents of files, and of all files in directories. */
function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((path) => filesIn(join(root, path)))) {
    hash.update(`${relative(root, path)}\0`).update(createHash('sha256').update(readFileSync(path)).digest());
  }
  return hash.digest('hex');
}

function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}

/** Starts a sandbox, so that a problem shows before the first task. A server checks again when it starts. */
async function reportSandboxes() {
  const { createSandboxDriver } = await importSandbox();
  const driver = createSandboxDriver({ driver: 'bwrap', installationId: `setup-${process.pid}` });
  try {
    const probe = await driver.probe();
    if (!probe.available) say(`sandboxes of bubblewrap cannot be started: ${probe.reason}`);
    else
      say(
        `sandboxes work, with limits ${probe.enforcement.limits} and ${probe.node ? `Node ${probe.node}` : 'no Node'}`,
      );
    for (const note of probe.enforcement?.notes ?? []) say(`  ${note}`);
  } finally {
    driver.forget?.();
  }
}

/** Ends the process with a plain message for failures that are the user's to cure. */
export function reportFailure(error) {
  process.stderr.write(error instanceof SetupError ? `setup: ${error.message}\n` : `${error.stack}\n`);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  useNewerNode()
    .then(setup)
    .then(reportSandboxes)
    .then(() => say('ready: npm start runs the service, npm run demo shows what it does'), reportFailure);
}
