import { feeBps, splitPrice } from '@agora-market/contract';
import type { Agora } from '@agora-market/sdk';
import { verifyLedger } from '../../src/audit/index.ts';
import { artifactOf, type Books, describe, type Traffic } from './traffic.ts';

/** The books of callers beside what the platform has stored at the end. Everything here should be empty. */
export interface Differences {
  /** Acknowledged and not there. */
  lost: string[];
  /** Stored more than once. */
  doubled: string[];
  /** Calls that the SDK gave up. */
  refused: string[];
  /** Tasks that ended in another way than their worker made them end, or not. */
  unfinished: string[];
  /** Buyers and workers who have other credits than their tasks make. */
  money: string[];
  webhooks: string[];
  artifacts: string[];
  streams: string[];
  ledger: string[];
}

/** A message of a webhook. */
export interface Message {
  type: string;
  taskId: string;
}

export async function audit(
  traffic: Traffic,
  messages: ReadonlyMap<string, Message>,
  databaseUrl: string,
): Promise<Differences> {
  const { books, buyers, trier } = traffic;
  const stored = await Promise.all(buyers.map(allTasks));
  const all = [...stored.flat(), ...(await allTasks(trier))];
  const checks = await verifyLedger(databaseUrl);
  return {
    ...compareSubmissions(books, all),
    ...compareEnds(books),
    money: await compareMoney(traffic, stored),
    webhooks: compareWebhooks(books, messages),
    artifacts: await compareArtifacts(traffic),
    streams: await compareStreams(traffic),
    ledger: checks.filter(({ broken }) => broken.length > 0).map(({ name }) => name),
  };
}

function compareSubmissions(
  { journeys, once }: Books,
  all: readonly StoredTask[],
): Pick<Differences, 'lost' | 'doubled'> {
  const stored = Map.groupBy(all, ({ description }) => description);
  const acknowledged = new Map<string, string | null>([
    ...journeys.map(({ kind, n, id }) => [describe(kind, n), id ?? null] as const),
    ...once,
  ]);
  const idsOf = (description: string) => (stored.get(description) ?? []).map(({ id }) => id);
  const entries = [...acknowledged];
  return {
    lost: entries.flatMap(([description, id]) =>
      id && !idsOf(description).includes(id) ? `${id} ${description}` : [],
    ),
    doubled: entries.flatMap(([description]) => (idsOf(description).length > 1 ? `${idsOf(description)}` : [])),
  };
}

const compareEnds = ({ journeys, broken }: Books): Pick<Differences, 'refused' | 'unfinished'> => ({
  refused: [
    ...broken,
    ...journeys.flatMap(({ kind, n, refused }) => (refused ? `${describe(kind, n)}: ${refused}` : [])),
  ],
  unfinished: journeys
    .filter(({ id, end }) => id && end?.status !== 'completed')
    .map(({ kind, n, id, end }) => `${id} ${describe(kind, n)}: ${JSON.stringify(end)}`),
});

const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);

async function compareMoney({ books, buyers, workers, bought }: Traffic, stored: StoredTask[][]): Promise<string[]> {
  const ofBuyers = await Promise.all(
    buyers.map(async (agora, nth) => {
      const { balance, held } = await agora.vault.getPool();
      const charged = sum((stored[nth] ?? []).map((task) => task.charged));
      const told = sum(books.journeys.filter(({ buyer }) => buyer === nth).map(({ end }) => end?.charged ?? 0));
      const isRight = balance + charged === bought && held === 0 && told === charged;
      return isRight ? [] : [`buyer ${nth}: ${JSON.stringify({ balance, held, charged, told })}`];
    }),
  );
  const wallets = await Promise.all(workers.map((worker) => worker.vault.getWallet()));
  const earned = sum(wallets.map(({ available, escrowed }) => available + escrowed));
  const due = sum(stored.flat().map(({ charged }) => splitPrice(charged, feeBps).payoutCents));
  return [...ofBuyers.flat(), ...(earned === due ? [] : [`workers have ${earned} of ${due}`])];
}

function compareWebhooks({ journeys }: Books, messages: ReadonlyMap<string, Message>): string[] {
  const byTask = Map.groupBy([...messages.values()], ({ taskId }) => taskId);
  return journeys.flatMap(({ id, end }) => {
    const types = (byTask.get(id ?? '') ?? []).map(({ type }) => type);
    return !end || types.join() === `task_${end.status}` ? [] : `${id} ${end.status}: ${types}`;
  });
}

async function compareArtifacts({ books, buyers }: Traffic): Promise<string[]> {
  const wrong: string[] = [];
  for (const { kind, n, id = '', buyer, end } of books.journeys) {
    if (kind !== 'sandbox' || end?.status !== 'completed') continue;
    const { artifacts } = buyers[buyer] as Agora;
    const [found] = (await artifacts.list(id)).data;
    const text = found ? await (await artifacts.download(id, found.id)).text() : 'none';
    if (text !== artifactOf(n)) wrong.push(`${id}: ${text}`);
  }
  return wrong;
}

/** What a stream has told across all its reconnects is what it tells from its start now. */
async function compareStreams({ books, buyers }: Traffic): Promise<string[]> {
  const wrong: string[] = [];
  for (const { kind, id, buyer, told } of books.journeys) {
    if (kind !== 'stream' || !id) continue;
    const again: string[] = [];
    for await (const event of (buyers[buyer] as Agora).tasks.stream(id)) if (event.id !== null) again.push(event.id);
    if (again.join() !== told.join()) wrong.push(`${id}: ${told} beside ${again}`);
  }
  return wrong;
}

interface StoredTask {
  id: string;
  description: string;
  charged: number;
}

async function allTasks({ tasks }: Agora): Promise<StoredTask[]> {
  const all: StoredTask[] = [];
  for await (const { id, status, input, creditsCharged } of tasks.list({ pageSize: 100, include: 'content' })) {
    const charged = status === 'completed' ? (creditsCharged ?? 0) : 0;
    all.push({ id, description: String(input.description), charged });
  }
  return all;
}
