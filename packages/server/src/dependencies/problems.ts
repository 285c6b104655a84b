/** Why packages that the buyer's files name are not there. Each message says what to change. */

const said = {
  no_lock: ({ path, name }: About) => `${path} names dependencies, and no lockfile their versions. Commit ${name}.`,
  unsupported_lock: ({ path, name = 'a package-lock.json' }: About) =>
    `This server does not install from ${path}. Commit ${name} beside it.`,
  unreadable_lock: ({ path }: About) =>
    `${path} is no lockfile that its tool has written. Let the tool write it anew, and commit that.`,
  no_plugins: ({ path }: About) =>
    `${path} names no plugins, and Maven does nothing without them. Let maven-lockfile write it anew with -DincludeMavenPlugins=true.`,
  not_pinned: ({ path, name }: About) =>
    `${path} names no version for ${name}. Pin each package, for example with pip freeze or pip-compile.`,
  no_file: ({ name }: About) =>
    `The index has no file of ${name} for the sandbox's Python, or none with a hash of the lockfile. Pin another version.`,
  left_out: ({ name }: About) => `${name} was left out: no file of it with a hash of the lockfile is for this system.`,
  no_registry: ({ path }: About) =>
    `This server has no registry for the packages of ${path}. Ask the operator to set DEPENDENCY_REGISTRIES.`,
  switched_off: ({ path }: About) =>
    `This server installs no packages of ${path}. Commit them, or ask the operator to set DEPENDENCY_REGISTRIES.`,
  no_tool: ({ path, name }: About) =>
    `This server's sandboxes have no ${name}, so the packages of ${path} are not installed. Ask the operator to install it.`,
  no_integrity: ({ path, name }: About) =>
    `${path} has no hash for ${name}. Delete the lockfile, let its tool write it anew, and commit that.`,
  not_from_registry: ({ path, name }: About) =>
    `${name} in ${path} comes from no registry. Take a published version, or commit its files.`,
  unknown_registry: ({ name, from }: About) =>
    `${name} comes from ${from}, which this server does not fetch from. Take it from the public registry, or store a token for that one with \`agora package-registries set\`.`,
  not_found: ({ name }: About) => `The registry does not have ${name}. Update the lockfile.`,
  refused: ({ name, limit }: About) =>
    `The registry refuses ${name} (HTTP ${limit}). Ask the operator, or take another package.`,
  unauthorized: ({ name, from, limit }: About) =>
    `Your registry at ${from} refuses ${name} (HTTP ${limit}). Store a token that may read it with \`agora package-registries set\`.`,
  hash_differs: ({ path, name }: About) =>
    `What the registry sends for ${name} has another hash than ${path} says. If that is right, write the lockfile anew, and commit it.`,
  too_many: ({ path, limit }: About) =>
    `${path} names more than ${limit} packages, the most that this server fetches. Leave out what the tests do not need.`,
  too_large: ({ path, limit }: About) =>
    `The packages of ${path} are larger than ${limit}, the most that this server takes. Leave out what the tests do not need.`,
  unreachable: ({ name }: About) => `The registry did not send ${name}. Try again later.`,
  timed_out: ({ path, limit }: About) => `Fetching the packages of ${path} took more than ${limit}. Try again later.`,
  busy: () => 'This server installs packages for others, or has no room for more at the moment. Try again later.',
  clashes: ({ path, name }: About) =>
    `${path} needs another ${name} than a lockfile before it, so its packages are left out.`,
  gone: ({ path }: About) => `The packages of ${path} that the agent had cannot be had any more.`,
  install_failed: ({ path, output }: About) => `The packages of ${path} cannot be installed: ${output}`,
  install_timed_out: ({ path, limit }: About) => `Installing the packages of ${path} took more than ${limit}.`,
  scripts_failed: ({ path, output }: About) => `Install scripts of packages in ${path} fail without network: ${output}`,
  setup_failed: ({ output }: About) => `input.environment.setup fails: ${output}`,
  setup_timed_out: ({ limit }: About) =>
    `input.environment.setup took more than ${limit}. Let it do less, or ask for more with input.environment.timeouts.setupMs.`,
} as const;

export type ProblemReason = keyof typeof said;

interface About {
  /** Of the lockfile, or of the file that names dependencies. */
  path: string;
  /** A package with its version, or what is missing. */
  name?: string;
  from?: string;
  limit?: string | number;
  output?: string;
}

export interface DependencyProblem {
  reason: ProblemReason;
  path: string;
  message: string;
}

const mostChars = 500;

/** Names in a lockfile are a party's text, and their addresses may carry a token. */
const plain = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .slice(0, 4 * mostChars)
    .replace(/\/\/[^/\s]*@/g, '//')
    .slice(0, mostChars);

export function problem(reason: ProblemReason, about: About): DependencyProblem {
  const shown = Object.fromEntries(Object.entries(about).map(([key, value]) => [key, plain(String(value))]));
  return { reason, path: about.path, message: said[reason](shown as unknown as About) };
}

/** It may pass by itself, and neither party is to blame. */
export const isPassing = ({ reason }: DependencyProblem): boolean =>
  reason === 'unreachable' || reason === 'timed_out' || reason === 'busy';

/** Another try may end otherwise. */
export const isOfTry = (problem: DependencyProblem): boolean =>
  problem.reason === 'install_timed_out' || isOfSetup(problem);

/** The buyer's own preparation failed. */
export const isOfSetup = ({ reason }: DependencyProblem): boolean =>
  reason === 'setup_failed' || reason === 'setup_timed_out';

/** Another sandbox of the same task had them. */
export const isGone = ({ reason }: DependencyProblem): boolean => reason === 'gone';

/** What fails over the untouched files may fail for this, whatever it prints. */
export const hidesCauses = (problem: DependencyProblem): boolean => isGone(problem) || isOfSetup(problem);
