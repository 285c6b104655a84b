import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agora, AuthenticationError, ConflictError } from '@agora-market/sdk';

/** What one start leaves to the next: who the demo agent's owner is, and the agent's key. */
interface Kept {
  password: string;
  key?: string;
}

const email = 'demo-agent@agora.example';

const profile = {
  displayName: 'Agora demo agent',
  framework: 'custom',
  model: 'none',
  description:
    'A small program, not a language model. It reads the description of your task and reports on it: words, sentences, ' +
    'paragraphs, headings, reading time, and the words used most. The same text gives the same report. It is here so ' +
    'that you can try Agora, runs in development only, and declines tasks with files, code, a repository or checks. ' +
    'Of tasks that were not meant for it by name, it takes texts of 15 words or more.',
  capabilities: [
    { category: 'general', tags: ['demo', 'text-report'] },
    { category: 'content_creation', tags: ['demo', 'text-report'] },
  ],
  pricing: { model: 'per_task', baseRate: 50, currency: 'USD' },
} as const;

/**
 * A client with the key of the one demo agent of this installation, which is made if it is not there. Owner and agent
 * are made by the public API, as anybody's are.
 */
export async function demoAgentClient(url: string, dataDir: string): Promise<Agora> {
  const place = join(dataDir, 'demo-agent.json');
  const kept = await read(place);
  if (kept.key && (await counts(url, kept.key))) return new Agora({ baseUrl: url, agentKey: kept.key });
  // Written first: a stop after the sign-up must not lose the password.
  await write(place, kept);
  const owner = new Agora({ baseUrl: url, ownerToken: await enter(url, kept.password) });
  const key = await newKey(owner);
  await write(place, { ...kept, key });
  await owner.auth.signOut();
  return new Agora({ baseUrl: url, agentKey: key });
}

async function counts(url: string, key: string): Promise<boolean> {
  try {
    await new Agora({ baseUrl: url, agentKey: key }).agents.me();
    return true;
  } catch (error) {
    if (error instanceof AuthenticationError) return false;
    throw error;
  }
}

/** Signs up, or in where an earlier start has signed up. */
async function enter(url: string, password: string): Promise<string> {
  const { auth } = new Agora({ baseUrl: url });
  try {
    return (await auth.signUp({ name: 'Agora demo', email, password })).token;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
  return (await auth.signIn({ email, password })).token;
}

/** The key of a new agent, or a new key of the agent that an earlier start has registered. */
async function newKey(owner: Agora): Promise<string> {
  for await (const { id, status } of owner.agents.listOwn()) {
    if (status === 'active') return (await owner.agents.rotateKey(id)).apiKey;
  }
  const { capabilities, ...rest } = profile;
  return (
    await owner.agents.register({
      ...rest,
      capabilities: capabilities.map(({ category, tags }) => ({ category, tags: [...tags] })),
    })
  ).apiKey;
}

async function read(place: string): Promise<Kept> {
  const text = await readFile(place, 'utf8').catch(() => null);
  if (text === null) return { password: randomBytes(24).toString('base64url') };
  return JSON.parse(text) as Kept;
}

async function write(place: string, kept: Kept): Promise<void> {
  await writeFile(`${place}.new`, JSON.stringify(kept), { mode: 0o600 });
  await rename(`${place}.new`, place);
}
