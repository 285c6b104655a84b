import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makePair, serverForFile } from '../api/scene.ts';
import { commitFile, type Forge, type Ticket } from '../support/forge-state.ts';
import { git } from '../support/git-server.ts';
import { lockOf, pathOf, startNpmRegistry, type TestPackage } from '../support/npm-registry.ts';
import { makeTool } from '../support/toolchain.ts';
import { kinds, newest, saidAt, sceneOf, start, workAt } from './scene.ts';

/** A project whose tests need packages and whose checks need a tool, from an issue at its forge to the merge request. */

const rounding: TestPackage = {
  name: 'rounding',
  version: '1.2.0',
  files: { 'index.js': 'exports.cents = (dollars) => Math.round(dollars * 100);\n' },
};
const registry = await startNpmRegistry([rounding]);
const tools = await mkdtemp(join(tmpdir(), 'agora-tools-'));
await chmod(tools, 0o755);
for (const version of ['1.2.9', '2.0.1']) await makeTool(tools, 'spark', version);
afterAll(async () => {
  await registry.close();
  await rm(tools, { recursive: true });
});

const server = serverForFile({
  config: {
    ...{ DEPENDENCY_REGISTRIES: `npm=${registry.url}`, SANDBOX_TOOLS: tools, OUTBOUND_ALLOW_LOOPBACK: true },
  },
});

const root = { name: 'shop', version: '1.0.0' };
const total = (sum: string) =>
  `const { cents } = require('rounding');\nexports.total = (dollars, shipping) => ${sum};\n`;
const repaired = total('cents(dollars) + shipping');
/** `total` forgets the shipping. */
const project = {
  '.gitignore': 'node_modules/\n',
  '.agora.yml': [
    'environment:',
    '  tools: [spark@1.2]',
    "  setup: mkdir -p gen && echo 'module.exports = 250;' > gen/shipping.js",
    'checks:',
    '  - name: spark',
    '    command: spark | grep -q "spark 1.2.9"',
    '  - name: shipping',
    `    command: node -e "require('assert').equal(require('./total.js').total(1.5, require('./gen/shipping.js')), 400)"`,
    'budget: 1500',
  ].join('\n'),
  'package.json': JSON.stringify({
    ...{ ...root, scripts: { test: 'node --test' }, dependencies: { rounding: rounding.version } },
  }),
  'package-lock.json': lockOf(root, [rounding]),
  'total.js': total('cents(dollars)'),
  'total.test.js': [
    "const { test } = require('node:test');",
    "const { equal } = require('node:assert');",
    "const { total } = require('./total.js');",
    "test('counts the shipping', () => equal(total(1.5, 250), 400));",
    "test('is nothing for nothing', () => equal(total(0, 0), 0));",
  ].join('\n'),
};

describe.each(kinds)('%s', (kind) => {
  let forge: Forge;
  beforeEach(async () => {
    forge = await start[kind](() => server.clock.now());
    for (const [name, text] of Object.entries(project)) commitFile(forge.path, name, text);
  });
  afterEach(() => forge.close());

  const untilSaid = (ticket: Ticket, count: number) =>
    expect
      .poll(async () => {
        await workAt(server);
        return saidAt(ticket).length;
      })
      .toBe(count);

  /** The agent has its sandbox for an issue of the project. */
  async function begun() {
    const made = await sceneOf(await makePair(server), () => server.url, kind, forge);
    const ticket = made.open('total() forgets the shipping');
    await made.ask(ticket, '/agora');
    await untilSaid(ticket, 1);
    expect(saidAt(ticket)).toEqual([expect.stringMatching(/^started: /)]);
    const task = (await newest(made))!;
    const { sandbox, tasks } = made.agent.agora;
    const { sandboxId } = (await sandbox.provision(task.id)).data;
    await tasks.start(task.id, { sandboxId });
    const run = async (command: string) => (await sandbox.exec(task.id, { command })).data;
    /** Delivers, and gives the scores of what the gate has looked at. */
    const judged = async () => {
      await tasks.complete(task.id, { output: { result: 'total() counts the shipping now.' } });
      await expect.poll(async () => (await newest(made))?.status).toMatch(/completed|failed/);
      const [assessment] = (await made.buyer.agora.courts.listAssessments({ taskId: task.id })).data;
      const { criteria } = await made.buyer.agora.courts.getAssessment(assessment!.id);
      return Object.fromEntries(criteria.map(({ name, score }) => [name, score]));
    };
    return { ...made, ticket, task, run, judged };
  }

  test('agent and gate have the packages and the environment of the repository, and its fix becomes a merge request', async () => {
    const { agent, buyer, ticket, task, run, judged } = await begun();
    expect(task).toMatchObject({ maxBudget: 1_500, input: { environment: { tools: ['spark@1.2'] } } });
    expect((await agent.agora.sandbox.get(task.id)).data.packages).toEqual({
      ...{ installed: expect.arrayContaining(['gen', 'node_modules']), lacking: [] },
    });
    expect((await run('spark')).stdout).toMatch(/^spark 1\.2\.9 /);
    expect(await run('npm test')).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('pass 1') });
    await agent.agora.sandbox.write(task.id, { path: 'total.js', content: repaired });
    expect(await run('npm test')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('pass 2') });

    expect(await judged()).toMatchObject({ 'check: spark': 100, 'check: shipping': 100, tests: 100 });
    await untilSaid(ticket, 2);
    const { status, qualityScore, creditsCharged } = await buyer.agora.tasks.get(task.id);
    expect({ status, creditsCharged }).toEqual({ status: 'completed', creditsCharged: 1_000 });
    const branch = `agora/${task.id}`;
    expect(git(forge.path, 'diff', '--name-only', 'main', branch)).toBe('total.js');
    expect(`${git(forge.path, 'show', `${branch}:total.js`)}\n`).toBe(repaired);
    const pulls = forge.state.tickets.filter(({ pull }) => pull !== null);
    expect(pulls).toMatchObject([{ pull: { branch, base: 'main' } }]);
    expect(pulls[0]?.body).toContain(`The quality gate passed it with ${qualityScore} of 100. It cost $10.00.`);
    expect(saidAt(ticket)[1]).toContain(`passed the quality gate with ${qualityScore} of 100 and cost $10.00.`);
    expect(forge.state.statuses).toMatchObject([{ commit: forge.state.branch(branch), state: 'success' }]);
    // Once, by all agents and all sandboxes of the gate.
    expect(registry.asked).toEqual([pathOf(rounding)]);
  });

  test('a fix that the tests with their packages fail becomes none, and the issue is told why', async () => {
    const { agent, buyer, ticket, task, judged } = await begun();
    await agent.agora.sandbox.write(task.id, { path: 'total.js', content: total('cents(dollars) + 250') });
    expect(await judged()).toMatchObject({ 'check: spark': 100, 'check: shipping': 100, tests: 0 });
    await untilSaid(ticket, 2);
    expect(saidAt(ticket)[1]).toMatch(/^ended: There is no fix: .* is failed\. Nothing was charged\./);
    expect(forge.state.branches()).toEqual(['main']);
    expect((await buyer.agora.tasks.get(task.id)).creditsCharged).toBe(0);
  });
});
