import { type Operation, operations } from '@agora-market/contract';

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
    'platform/steps/step-writer.ts',
    'platform/steps/step.ts',
    'events/append.ts',
    'a2a/',
  ],
  'http: headers': [
    'auth/authentication.ts',
    'auth/credentials.ts',
    'auth/operator.ts',
    'registry/authentication.ts',
    'mcp/',
    'programs/',
  ],
  'auth: passwords': ['auth/password.ts', 'auth/sign-in-throttle.ts'],
  'http: queries': ['platform/paging.ts', 'registry/search/'],
  'inputs: files': [
    'gate/restore/bins.ts',
    'gate/measure-advice.ts',
    'tasks/inputs/input-files.ts',
    'tasks/inputs/originals.ts',
    'tasks/lifecycle/submit.ts',
    'tasks/task-cache.ts',
    'sandbox/archive.ts',
    'sandbox/path-bytes.ts',
    'sandbox/bwrap/input-dir.ts',
    'sandbox/directory.ts',
  ],
  'inputs: lockfiles': ['dependencies/'],
  'inputs: schema': [
    'tasks/inputs/schema.ts',
    'gate/schema/limits.ts',
    'gate/schema/schema-worker.ts',
    'gate/evidence/schema.ts',
  ],
  'inputs: repository': [
    'platform/http/accept-bytes.ts',
    'tasks/inputs/basic-authorization.ts',
    'tasks/inputs/bundles.ts',
    'tasks/inputs/clone-queue.ts',
    'tasks/inputs/clone-worker.ts',
    'tasks/inputs/fetch-commit.ts',
    'tasks/inputs/git-thread.ts',
    'tasks/inputs/sql.ts',
    'tasks/inputs/forbidden-names.ts',
    'tasks/inputs/memory-fs.ts',
    'tasks/inputs/pack.ts',
    'tasks/inputs/submodules.ts',
    'tasks/inputs/unbundle.ts',
    'tasks/inputs/large-files.ts',
    'gate/lfs-pointer.ts',
    'tasks/inputs/tree-listing.ts',
    'tasks/inputs/layout.ts',
  ],
  'sandbox: output of a command': [
    'sandbox/agent/client.ts',
    'sandbox/agent/gathered-bytes.ts',
    'sandbox/agent/sandbox.ts',
    'sandbox/agent/command.ts',
    'sandbox/agent/decode.ts',
  ],
  'sandbox: output streamed': ['tasks/workspace/exec-stream.ts'],
  'sandbox: output in the background': ['sandbox/agent/output-tail.ts', 'tasks/workspace/processes.ts'],
  'sandbox: files': ['sandbox/paths.ts', 'tasks/workspace/handlers.ts'],
  'sandbox: diff': ['tasks/workspace/diff.ts', 'tasks/workspace/diff/'],
  'sandbox: export': ['sandbox/agent/client.ts', 'platform/concurrency/'],
  'tasks: pages': [
    'tasks/lifecycle/read.ts',
    'tasks/list/list.ts',
    'tasks/list/task-page.ts',
    'tasks/timeline/receipt.ts',
    'tasks/timeline/stream-connection.ts',
  ],
  'delivery: output': ['tasks/lifecycle/complete.ts', 'gate/evidence/output.ts', 'gate/evidence/excerpt.ts'],
  'delivery: artifacts': ['tasks/artifacts/', 'tasks/changes/read.ts', 'tasks/workspace/download.ts'],
  'gate: secrets': ['gate/evidence/secret-patterns.ts', 'gate/evidence/secrets.ts'],
  'gate: test reports': ['gate/runs/', 'gate/twins/', 'gate/evidence/tests.ts', 'gate/evidence/proof.ts'],
  'gate: named scripts': [
    'gate/evidence/named-scripts.ts',
    'gate/restore/restored-files.ts',
    'gate/restore/ordered-removal.ts',
    'gate/restore/inline-tests.ts',
    'gate/sandboxes/check-sandbox.ts',
    'gate/sandboxes/layered.ts',
    'sandbox/quote.ts',
  ],
  'gate: missing commands': [
    'gate/evidence/missing-tool.ts',
    'gate/evidence/test-commands.ts',
    'gate/evidence/checks.ts',
    'gate/restore/bins.ts',
    'gate/evidence/project-steps.ts',
  ],
  'gate: changed files': [
    'gate/evidence/changes.ts',
    'gate/reading/readings.ts',
    'gate/defects/',
    'gate/evidence/found-defects.ts',
  ],
  'gate: lockfiles': ['gate/advisories/', 'gate/evidence/advisories.ts', 'gate/reading/parse-record.ts'],
  'judge: brief': ['gate/judge/', 'gate/evidence/changed-files.ts'],
  'courts: statements': ['disputes/'],
  'registry: event log': ['registry/reputation/'],
  'exchange: deliveries': ['exchange/'],
  'webhooks: replies': ['webhooks/'],
  'forges: settings files': ['forges/intake/project-file.ts'],
};

/** Modules that read nothing of a party's, or only what something else has bounded before. */
export const noParty: Record<string, string[]> = {
  "the operator's settings, files and database": [
    'gate/reading/attempts.ts',
    'gate/sql.ts',
    'docs.ts',
    'backup/',
    'objects/',
    'mail/caught.ts',
    'platform/config/effective.ts',
    'platform/config/account-settings.ts',
    'platform/config/contradictions.ts',
    'platform/config/problems.ts',
    'platform/config/public-url.ts',
    'platform/config/proxies.ts',
    'platform/config/registries.ts',
    'platform/config/config.ts',
    'platform/config/values.ts',
    'platform/roles.ts',
    'platform/files/disk.ts',
    'platform/machine.ts',
    'platform/proc.ts',
    'platform/postgres/',
    'platform/hub/nats-url.ts',
    'platform/urls-of-hosts.ts',
    'sandbox/docker/check.ts',
    'sandbox/docker/container.ts',
    'sandbox/docker/engine.ts',
    'sandbox/docker/image.ts',
    'sandbox/docker/owner.ts',
    'sandbox/docker/tar.ts',
    'sandbox/docker/docker.ts',
    'sandbox/kubernetes/',
    'sandbox/bwrap/bwrap.ts',
    'sandbox/bwrap/cgroup-tree.ts',
    'sandbox/bwrap/cgroup.ts',
    'sandbox/bwrap/owner.ts',
    'sandbox/bwrap/processes.ts',
    'sandbox/native.ts',
    'sandbox/toolchains.ts',
    'sandbox/try-out.ts',
    'sandbox/bwrap/uids.ts',
    'serve.ts',
    'platform/files/atomic-file.ts',
    'platform/signing/',
    'platform/version.ts',
  ],
  'an id that the service has made': ['platform/ids.ts'],
  'a command of the service’s own': ['tasks/workspace/commit-input.ts'],
  'a host name or address of at most 2,000 characters': ['platform/outbound/'],
  'names of tools, whose number and length the contract bounds': ['environments/environments.ts'],
  'what the programs of an empty sandbox, which the operator has chosen, print as their versions': [
    'environments/ordinary-tools.ts',
  ],
  'a profile of a few kilobytes, which the contract bounds': ['registry/sql.ts'],
  'a hundred ids at most, in a form that the contract bounds': ['registry/read.ts'],
  'an agent’s profile and reputation, whose size the contract bounds': ['trust/'],
  "the reply of an agent's model, of at most 32 KB": ['registry/models/'],
  'a command of at most 10,000 characters, and calls of at most 100 KB from it': [
    'gate/sandboxes/apart.ts',
    'sandbox/agent/calls.ts',
  ],
  'requests and replies that another process of the installation has read or made within its own limits': [
    'platform/peers/',
    'platform/hub/shared-hub.ts',
  ],
  'what a change stores for later: ids, and the first 1,000 characters of an error': [
    'jobs/queue-sql.ts',
    'jobs/queue.ts',
  ],
  'texts that the service wrote itself, with bounded names in them': ['mail/mail.ts', 'embassy/notifications/'],
  'the payment processor, which the operator has chosen, with bounded replies': ['vault/payments/'],
  'the last 200 characters of a command and the last 2,000 of what it said': ['gate/check-faults.ts'],
  'a code of at most 60 characters': ['auth/totp/codes.ts'],
  'Cloudflare, which the operator has chosen, with replies of at most 64 KB': ['auth/captcha.ts'],
  'forges, with replies of at most 30,000 values and 8 MB; a state of at most 500 characters; changes of at most 8 MB; bodies of webhooks that a forge has signed':
    ['forges/'],
  'a delivered workspace, in a worker thread with limits of time and memory; a URL of at most 2,000 characters': [
    'tasks/changes/',
    'tasks/pulls/',
    'tasks/inputs/attributes.ts',
    'tasks/inputs/clean.ts',
  ],
  'ids of sandboxes, and what the service itself has found lacking in one': ['tasks/workspace/sql.ts'],
  'a month in a path; names and notes of at most 1,000 characters, a page at a time': ['vault/statements/'],
  'an input and a patch, of at most 256 KiB each': ['tasks/messages/change.ts'],
  'hours of a policy, that the contract has checked': ['embassy/policies/sql.ts'],
  'events of an account, a batch of 500 at a time': ['embassy/audit.ts'],
  'a task that the contract has checked': ['schedules/sql.ts', 'schedules/templates.ts'],
  'five fields of at most 100 characters; days that no month has are refused before they are searched for': [
    'schedules/cron.ts',
  ],
  'at most fifty filters that the contract has checked': ['tasks/list/views.ts'],
  'the first 200 characters of a command': ['tasks/workspace/command-log.ts'],
  'pages of other operations, one after the other': ['overview/export.ts'],
  'at most 200 characters of the operator': ['overview/operator/'],
  'figures and names of operations, which no caller chooses': ['platform/metrics.ts', 'metrics/history-jobs.ts'],
  'a path, which a request bounds; the rest is the build': ['dashboard.ts', 'dashboard-preloads.ts'],
};

const ids = Object.values<Operation>(operations).map(({ id }) => id);
const district = (name: string) => ids.filter((id) => id.startsWith(`${name}.`));

/** Replies by the place whose cases make them as large as they get. */
export const replies: Record<string, string[]> = {
  'tasks: pages': [
    'tasks.list',
    'tasks.export',
    'tasks.assigned',
    'tasks.events',
    'tasks.commands',
    'tasks.stream',
    'tasks.follow',
    'tasks.receipt',
  ],
  'tasks: one': [
    'tasks.submit',
    'tasks.submitAsAgent',
    'embassy.approve',
    'embassy.getApproval',
    'tasks.get',
    'tasks.start',
    'tasks.fail',
    'tasks.feedback',
    'tasks.cancel',
    'tasks.accept',
  ],
  'delivery: output': ['tasks.complete'],
  'delivery: artifacts': ['artifacts.list', 'artifacts.download', 'tasks.changes', 'tasks.patch', 'tasks.workspace'],
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
  'courts: statements': [...district('courts').filter((id) => id !== 'courts.sampleAssessments'), 'tasks.dispute'],
  'registry: pages': ['agents.search', 'agents.listOwn'],
  'exchange: deliveries': district('exchange').filter((id) => id !== 'exchange.withdrawBid'),
};

/** Replies that nobody can make large. */
export const smallReplies: Record<string, string[]> = {
  'one agent, whose fields the contract bounds': [
    'agents.reputation',
    ...['agents.register', 'agents.me', 'agents.updateMe', 'agents.get', 'agents.update', 'agents.deactivate'],
    ...['agents.reactivate', 'agents.rotateKey', 'agents.badge', 'agents.card'],
    ...['agents.verifyModel', 'agents.verifyMyModel'],
  ],
  'at most forty ids, or a number for each reason': ['agents.failures', 'tasks.assignedFigures'],
  'fixed fields, or a page of at most 100 rows of them': [
    ...district('auth'),
    ...district('system'),
    ...district('vault'),
    ...district('trust'),
    ...district('webhooks'),
    ...district('ownerWebhooks'),
    'embassy.overview',
    ...district('github'),
    ...district('packageRegistries'),
    ...district('operator'),
  ],
  'a page of events of the account, or a file of them in pieces': ['embassy.audit', 'embassy.exportAudit'],
  'pages of other operations, one after the other': ['embassy.exportData'],
  'the state of one sandbox, or nothing': ['sandbox.provision', 'sandbox.get', 'sandbox.destroy', 'sandbox.resume'],
  'a number for each value of each facet': ['agents.searchFacets'],
  'at most a hundred names': ['agents.names'],
  'at most ten verdicts, a number for each kind of evidence': ['courts.sampleAssessments'],
  'a page of at most a hundred messages of 10,000 characters, or a file of 64 KiB': [
    ...['tasks.postMessage', 'tasks.listMessages', 'tasks.getMessageAttachment'],
    ...['tasks.acceptChange', 'tasks.declineChange', 'tasks.inbox'],
  ],
  'at most 367 days, or a hundred groups': ['tasks.totals'],
  'at most a hundred names, budgets and times': [
    ...['templates.list', 'schedules.list', 'schedules.preview', 'schedules.run', 'schedules.listRuns'],
  ],
  'a submission that the contract has bounded': [
    ...['templates.create', 'templates.get', 'templates.update', 'schedules.create', 'schedules.get'],
    ...['schedules.update', 'schedules.pause', 'schedules.resume'],
  ],
  'at most fifty filters': ['tasks.listViews', 'tasks.saveView'],
  'a short note or a key': ['tasks.progress', 'tasks.receiptKey', 'tasks.decline'],
  'at most ten candidates, with prices and factors': ['tasks.quote', 'tasks.routing'],
  'at most twenty checks of the caller, with the end of what each printed': ['tasks.tryChecks'],
  'an address, a commit, and a line for each part of a repository that is missing': ['tasks.sendBundle'],
  'at most five attempts, with no text of a party': ['tasks.getGroup'],
  'a hundred blocked ids, or a page of such policies': [
    'embassy.listPolicies',
    'embassy.setOwnerPolicy',
    'embassy.setPolicy',
  ],
  'a request without its submission, or a page of them': ['embassy.listApprovals', 'embassy.deny'],
  'a page of texts that the service wrote, a number, or a choice for each kind': [
    ...['embassy.listNotifications', 'embassy.countUnread', 'embassy.readNotification', 'embassy.readNotifications'],
    ...['embassy.getPreferences', 'embassy.setPreferences'],
  ],
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
