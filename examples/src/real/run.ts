import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Agora } from '@agora-market/sdk';
import { follow, type Market } from '../demo/market.ts';
import { aside, dollars, good, step } from '../demo/print.ts';
import { type Program, startAgent } from '../demo/server.ts';
import type { Script } from '../scripted-agent.ts';
import { npmRegistry } from './archives.ts';
import { type Forge, startForge } from './forge.ts';
import { type RealProject, realProjects } from './projects.ts';
import { serveRegistries } from './registries.ts';

/** Issues of real projects at a forge become changes that are merged there. */

const cli = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));

/** What has to be there before the server starts. */
export interface RealScene {
  projects: RealProject[];
  forge: Forge;
  /** Settings of the server. */
  env: Record<string, string>;
}

/** Fetches the projects with what they need; null, with the reason, where this machine cannot. What it starts joins `programs`. */
export async function prepareReal(cache: string, programs: Program[]): Promise<RealScene | null> {
  try {
    return await prepared(cache, programs);
  } catch (error) {
    step(`the three real projects are left out: ${(error as Error).message}`);
    return null;
  }
}

async function prepared(cache: string, programs: Program[]): Promise<RealScene> {
  if (!existsSync('/usr/bin/apt-get')) throw new Error('they come from Debian, and this system has no apt-get.');
  const { projects, served } = await realProjects(cache);
  step(`fetched ${projects.map(({ name, language }) => `${name} (${language})`).join(', ')}, and what they need`);
  if (!existsSync('/usr/bin/pip3')) throw new Error('a package of Python is installed with pip3, which is not there.');
  addTools();
  const registries = await serveRegistries(served);
  programs.unshift(registries);
  const forge = await startForge(projects.map(({ name }) => name));
  programs.unshift(forge);
  const env = {
    ...forge.settings,
    DEPENDENCY_REGISTRIES: `npm=${npmRegistry()},pypi=${registries.pypi},go=${registries.go}`,
  };
  return { projects, forge, env };
}

/** What the system lacks of it stays on the machine, for the next demo and for servers. */
function addTools(): void {
  const agora = (...words: string[]) =>
    execFileSync(process.execPath, [cli, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const there: { name: string }[] = JSON.parse(agora('tools', 'list', '--json'));
  for (const tool of ['go', 'pytest']) {
    if (!there.some(({ name }) => name === tool)) step(agora('tools', 'add', tool).trim());
  }
}

/** One issue of each project, one after the other. */
export async function mergeReal({ projects, forge }: RealScene, market: Market, dataDir: string, programs: Program[]) {
  const { agent, apiKey } = await market.seller.agents.register({
    displayName: 'Scripted',
    framework: 'custom',
    model: 'rule-based',
    description: 'Repairs three slips that it knows',
    capabilities: [{ category: 'bug_fix', tags: [] }],
    pricing: { model: 'per_task', baseRate: 300, currency: 'USD' },
  });
  const scripts = projects.map(({ slip, test }): Script => ({ path: slip.path, from: slip.to, to: slip.from, test }));
  const file = join(dataDir, 'scripts.json');
  await writeFile(file, JSON.stringify(scripts));
  const asAgent = { AGORA_URL: market.url, AGORA_AGENT_KEY: apiKey, AGENT_SCRIPTS: file };
  programs.unshift(startAgent('scripted-agent', asAgent, (line) => aside(`scripted-agent: ${line}`)));
  await market.buyer.github.connect({ token: forge.token });
  for (const project of projects) await mergeOne(project, forge, market, agent.id);
}

type AgentId = Awaited<ReturnType<Agora['agents']['me']>>['id'];

async function mergeOne(project: RealProject, forge: Forge, market: Market, agentId: AgentId): Promise<void> {
  const { name, issue, slip } = project;
  const repository = await forge.publish(project);
  const budgets = { maxBudget: 500, dailyBudget: 1_000 };
  const intake = await market.buyer.github.setIntake({ repository, agentIds: [agentId], ...budgets });
  const url = `${market.url}/api/v1/github/intakes/${intake.id}/webhook`;
  const config = { url, secret: intake.secret, content_type: 'json' };
  await forge.ask('POST', `${name}/hooks`, { config, events: ['issues', 'issue_comment'], active: true });
  const known = new Set<string>();
  for await (const { id } of market.buyer.tasks.list({ pageSize: 50 })) known.add(id);
  const { number } = await forge.ask('POST', `${name}/issues`, issue);
  await forge.ask('POST', `${name}/issues/${number}/labels`, { labels: ['agora'] });
  step(`${repository}#${number} has the label agora: ${issue.title}`);
  const task = await until(`a task for ${repository}`, async () => {
    const { data } = await market.buyer.tasks.list({ pageSize: 5 });
    return data.find(({ id }) => !known.has(id)) ?? null;
  });
  const ended = await follow(market, task.id);
  if (ended.status !== 'completed') throw new Error(`The demo expected that the fix of ${repository} passes.`);
  const pull = await until(`a pull request for ${repository}`, async () => {
    const [found] = await forge.ask('GET', `${name}/pulls?state=open`);
    return found ?? null;
  });
  const cost = `It cost ${dollars(ended.creditsCharged ?? 0)}.`;
  if (!pull.body.includes(cost)) throw new Error(`The demo expected that ${pull.html_url} says: ${cost}`);
  step(`the pull request ${pull.html_url} says: ${cost}`);
  await forge.ask('PUT', `${name}/pulls/${pull.number}/merge`, { merge_method: 'merge' });
  const { tree } = await forge.ask('GET', `${name}/git/trees/main?recursive=1`);
  const { sha } = tree.find(({ path }: { path: string }) => path === slip.path);
  const { content } = await forge.ask('GET', `${name}/git/blobs/${sha}`);
  const text = Buffer.from(content, 'base64').toString('utf8');
  if (!text.includes(slip.from)) throw new Error(`The demo expected ${slip.path} of ${repository} to be repaired.`);
  step(`${good('merged')}: ${slip.path} on main is as it was before the slip`);
}

async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 600; tries++) {
    const found = await look();
    if (found !== null) return found;
    await sleep(200);
  }
  throw new Error(`The demo waited two minutes for ${what}.`);
}
