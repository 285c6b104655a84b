import { type Operation, operations } from '@agora/contract';

/**
 * Where the server reads what a party wrote, or writes it out again. Each module that takes text apart, and each reply
 * that a party can make large, is named here under the place whose hostile cases (`cases/`) reach it, or under the
 * reason why it needs none. `places.test.ts` finds the modules and replies by itself and fails for one without a name.
 */

/** Marks of code that takes text apart, or encodes or decodes it. */
export const marks =
  /\.(match|matchAll|replace|replaceAll|split|test|exec)\(|JSON\.(parse|stringify)\(|TextDecoder|\.toString\('(utf8|latin1|base64)|inflate|gunzip|Buffer\.concat\(|new RegExp\(/;

/** Modules by the place that reaches them; paths below `src`, a directory with a slash at its end. */
export const readers: Record<string, string[]> = {
  'http: bodies': [
    'platform/http/',
    'platform/nearest.ts',
    'platform/step-writer.ts',
    'platform/step.ts',
    'events/append.ts',
  ],
  'http: headers': ['auth/authentication.ts', 'auth/credentials.ts', 'auth/operator.ts', 'registry/authentication.ts'],
  'auth: passwords': ['auth/password.ts', 'auth/sign-in-throttle.ts'],
  'http: queries': ['platform/paging.ts', 'registry/search.ts'],
  'inputs: files': [
    'courts/gate/bins.ts',
    'tasks/inputs/input-files.ts',
    'tasks/inputs/originals.ts',
    'tasks/submit.ts',
    'tasks/memo.ts',
    'sandbox/archive.ts',
    'sandbox/input-dir.ts',
  ],
  'inputs: schema': [
    'tasks/inputs/schema.ts',
    'courts/gate/schema-limits.ts',
    'courts/gate/schema-worker.ts',
    'courts/gate/evidence-schema.ts',
  ],
  'inputs: repository': [
    'tasks/inputs/clone-worker.ts',
    'tasks/inputs/memory-fs.ts',
    'tasks/inputs/pack.ts',
    'tasks/inputs/tree.ts',
  ],
  'sandbox: output of a command': [
    'sandbox/agent-client.ts',
    'sandbox/gathered-bytes.ts',
    'sandbox/agent-sandbox.ts',
    'sandbox/command.ts',
    'sandbox/decode.ts',
  ],
  'sandbox: output streamed': ['tasks/sandbox-stream.ts'],
  'sandbox: output in the background': ['sandbox/output-tail.ts', 'tasks/sandbox-processes.ts'],
  'sandbox: files': ['sandbox/paths.ts', 'tasks/sandbox-rules.ts'],
  'sandbox: diff': ['tasks/sandbox-diff.ts', 'tasks/diff/'],
  'sandbox: export': ['sandbox/agent-client.ts', 'platform/loop/'],
  'tasks: pages': ['tasks/read.ts', 'tasks/stream-connection.ts'],
  'delivery: output': ['tasks/complete.ts', 'courts/gate/evidence-output.ts', 'courts/gate/excerpt.ts'],
  'delivery: artifacts': ['tasks/artifacts/'],
  'gate: secrets': ['courts/gate/secrets.ts', 'courts/gate/evidence-secrets.ts'],
  'gate: test counts': ['courts/gate/test-counts.ts', 'courts/gate/evidence-tests.ts'],
  'gate: named scripts': ['courts/gate/named-scripts.ts', 'courts/gate/protected.ts', 'courts/gate/stage.ts'],
  'gate: missing commands': [
    'courts/gate/missing-tool.ts',
    'courts/gate/test-commands.ts',
    'courts/gate/evidence-checks.ts',
    'courts/gate/bins.ts',
    'courts/gate/project-steps.ts',
  ],
  'gate: changed files': ['courts/gate/changes.ts', 'courts/gate/reading/readings.ts'],
  'gate: lockfiles': ['courts/gate/advisories/', 'courts/gate/evidence-advisories.ts', 'courts/gate/parse-record.ts'],
  'judge: brief': ['courts/judge/', 'courts/gate/exhibits.ts'],
  'courts: statements': ['courts/disputes/', 'courts/sql.ts'],
};

/** Modules that read nothing of a party's, or only what something else has bounded before. */
export const noParty: Record<string, string[]> = {
  "the operator's settings, files and database": [
    'courts/gate/reading/attempts.ts',
    'docs.ts',
    'objects/',
    'platform/config-problems.ts',
    'platform/config-proxies.ts',
    'platform/config.ts',
    'platform/db.ts',
    'platform/disk.ts',
    'platform/notify.ts',
    'platform/postgres/',
    'platform/test-notes.ts',
    'sandbox/docker-check.ts',
    'sandbox/docker-container.ts',
    'sandbox/docker-engine.ts',
    'sandbox/docker-image.ts',
    'sandbox/docker-owner.ts',
    'sandbox/docker-tar.ts',
    'sandbox/docker.ts',
    'sandbox/bwrap.ts',
    'sandbox/cgroup-tree.ts',
    'sandbox/cgroup.ts',
    'sandbox/node-outside-program.ts',
    'sandbox/owner.ts',
    'sandbox/processes.ts',
    'sandbox/try-out.ts',
    'sandbox/uids.ts',
    'serve.ts',
    'tasks/receipt-key.ts',
    'tasks/whole-file.ts',
    'version.ts',
  ],
  'test programs': [
    'sandbox/test-',
    'sandbox/crash-victim.ts',
    'sandbox/docker-crash-victim.ts',
    'sandbox/conformance',
    'sandbox/attacks',
  ],
  'a host name or address of at most 2,000 characters': ['platform/outbound/'],
  'a profile of a few kilobytes, which the contract bounds': ['registry/sql.ts'],
  'a command of at most 10,000 characters, and calls of at most 100 KB from it': [
    'courts/gate/apart.ts',
    'sandbox/calls.ts',
  ],
  'requests and replies that another process of the installation has read or made within its own limits': [
    'platform/peers/',
  ],
  'the payment processor, which the operator has chosen, with bounded replies': ['vault/payments/'],
  'a month in a path; names and notes of at most 1,000 characters, a page at a time': ['vault/statements/'],
};

const ids = Object.values<Operation>(operations).map(({ id }) => id);
const district = (name: string) => ids.filter((id) => id.startsWith(`${name}.`));

/** Replies by the place whose cases make them as large as they get. */
export const replies: Record<string, string[]> = {
  'tasks: pages': ['tasks.list', 'tasks.assigned', 'tasks.events', 'tasks.stream', 'tasks.receipt'],
  'tasks: one': [
    'tasks.submit',
    'tasks.submitAsAgent',
    'tasks.get',
    'tasks.start',
    'tasks.fail',
    'tasks.feedback',
    'tasks.cancel',
  ],
  'delivery: output': ['tasks.complete'],
  'delivery: artifacts': ['artifacts.list', 'artifacts.download'],
  'sandbox: listing': ['sandbox.list'],
  'sandbox: diff': ['sandbox.diff'],
  'sandbox: files': ['sandbox.read', 'sandbox.write'],
  'sandbox: output of a command': ['sandbox.exec'],
  'sandbox: output in the background': [
    'sandbox.listProcesses',
    'sandbox.processOutput',
    'sandbox.startProcess',
    'sandbox.killProcess',
  ],
  'courts: statements': [...district('courts'), 'tasks.dispute'],
  'registry: pages': ['agents.search', 'agents.listOwn'],
};

/** Replies that nobody can make large. */
export const smallReplies: Record<string, string[]> = {
  'one agent, whose fields the contract bounds': [
    ...['agents.register', 'agents.me', 'agents.updateMe', 'agents.get', 'agents.update', 'agents.deactivate'],
    ...['agents.reactivate', 'agents.rotateKey'],
  ],
  'fixed fields, or a page of at most 100 rows of them': [
    ...district('auth'),
    ...district('system'),
    ...district('vault'),
  ],
  'the state of one sandbox, or nothing': ['sandbox.provision', 'sandbox.get', 'sandbox.destroy', 'sandbox.resume'],
  'a short note or a key': ['tasks.progress', 'tasks.receiptKey', 'tasks.decline'],
  'a price and at most ten candidates': ['tasks.quote'],
};

/** Places that do not hold yet, or have no case yet, with what is to be done. It must be empty at a release. */
export const gaps: Record<string, string> = {};

/** Modules below a source directory (`path`, its `text`) that bear a mark and are named nowhere. */
export function unnamed(modules: ReadonlyArray<{ path: string; text: string }>): string[] {
  const named = [...Object.values(readers), ...Object.values(noParty)].flat();
  const isNamed = (path: string) =>
    named.some((name) => path === name || (/[/-]$|\/\w+$/.test(name) && path.startsWith(name)));
  return modules.filter(({ path, text }) => marks.test(text) && !isNamed(path)).map(({ path }) => path);
}
