import type { DisputeOutcome } from '@agora-market/contract';
import { Agora, AgoraError, type Task } from '@agora-market/sdk';
import { noBudget } from '../../exchange/scene.ts';
import { type Chance, chance, fate } from '../../simulation/chance.ts';
import type { Installation } from '../server-process.ts';
import type { Recorder } from './record.ts';

const operatorToken = 'the-token-of-the-operator-of-a-journey';

/** Deadlines in seconds instead of minutes, small sandboxes, and a limit for agents that only floods reach. */
export const settings = {
  AGORA_ENCRYPTION_KEY: 'what both servers of a journey have in common',
  ACCEPT_DEADLINE_MS: '2500',
  EXECUTION_DEADLINE_MS: '5000',
  AGENT_SILENT_MS: '4000',
  REFUND_WINDOW_MS: '1200',
  EARNINGS_HOLD_MS: '2500',
  DISPUTE_WINDOW_MS: '9000',
  DISPUTE_RESPONSE_MS: '4000',
  DISPUTE_DECISION_MS: '6000',
  APPEAL_WINDOW_MS: '10000',
  AGORA_OPERATOR_TOKEN: operatorToken,
  INPUT_TTL_MS: '20000',
  ARTIFACT_TTL_MS: '8000',
  RATE_LIMIT_AGENT: '1500',
  SANDBOX_CPUS: '0.5',
  SANDBOX_MEMORY_BYTES: String(64 * 1024 ** 2),
  SANDBOX_DISK_BYTES: String(16 * 1024 ** 2),
  SANDBOX_PROCESSES: '32',
  SANDBOX_EXEC_TIMEOUT_MS: '1500',
  SANDBOX_MAX_EXEC_MS: '2500',
  SANDBOX_MAX_OUTPUT_BYTES: '65536',
  SANDBOX_LIFETIME_MS: '10000',
  SANDBOX_MAX_LIVE: '40',
  SANDBOX_WARM: '2',
};

export const refundWindowMs = Number(settings.REFUND_WINDOW_MS);
export const disputeWindowMs = Number(settings.DISPUTE_WINDOW_MS);
/** Sandboxes that stand ready for no task. */
export const warmSandboxes = Number(settings.SANDBOX_WARM);

/** How an agent behaves. `worker` is an honest one on the SDK's worker, with a sandbox for every task. */
export const kinds = [
  'honest',
  'worker',
  'idler',
  'silent',
  'vanisher',
  'decliner',
  'hanger',
  'liar',
  'flooder',
  'doubler',
  'subhirer',
  'quitter',
] as const;
export type Kind = (typeof kinds)[number];

/** Honest agents are in the majority, or most tasks would only go round. */
const agentsOfKind: Partial<Record<Kind, number>> = { honest: 8, worker: 4, silent: 1 };

export interface Owner {
  id: string;
  agora: Agora;
}

export interface Performer {
  kind: Kind;
  agentId: string;
  agora: Agora;
  owner: Owner;
}

/** A submission that was answered with a task. */
export interface Acknowledged {
  taskId: string;
  /** The client of its submitter. */
  agora: Agora;
  maxBudget: number;
  /** What became of it, as far as the submitter was told. */
  told: { cancelled?: true; refunded?: boolean; disputed?: string };
  /** The file that the buyer's check looks for, or null if there is no check. */
  check: string | null;
}

export interface Stage {
  server: Installation;
  recorder: Recorder;
  seed: number;
  buyers: Owner[];
  sellers: Owner[];
  performers: Performer[];
  operator: Agora;
  /** Every owner's credits bought, in cents. */
  bought: Map<string, number>;
  acknowledged: Map<string, Acknowledged>;
  /** Tasks whose agent says that it left what the buyer's check looks for. */
  worked: Set<string>;
  /** Tasks that were delivered with nothing or rubbish, said to be worth 100. */
  lied: Set<string>;
  /** Disputes whose answer was taken, the operator's rulings, and verdicts that were appealed, as far as was told. */
  answered: Set<string>;
  ruled: Map<string, DisputeOutcome>;
  appealed: Set<string>;
  /** What was done to the platform, by name and times. */
  deeds: Map<string, number>;
}

export const sleep = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake, { once: true });
  });

/** Chance of one thing alone, whatever else happens before or after it. */
export const dice = (...about: (number | string)[]): Chance => chance(Math.floor(fate(...about) * 2 ** 32));

export const deed = ({ deeds }: Stage, what: string) => void deeds.set(what, (deeds.get(what) ?? 0) + 1);

/** What an honest agent was asked to leave in its workspace, or null. */
export const wantedFile = ({ input }: Task): string | null =>
  /Leave (\S+) in the workspace/.exec(String(input.description))?.[1] ?? null;

/** Anything that the server may say to an agent; what it must not say the recorder has noted already. */
export async function tolerate(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof AgoraError) && (error as Error).name !== 'AbortError') throw error;
  }
}

/** A client that goes on for as long as any kill lasts. */
const clientOf = (
  recorder: Recorder,
  credentials: { ownerToken?: string; agentKey?: string; operatorToken?: string },
) =>
  new Agora({
    baseUrl: 'http://journey.invalid',
    fetch: recorder.fetch,
    maxRetries: 8,
    timeoutMs: 20_000,
    ...credentials,
  });

async function createOwner(stage: Stage, name: string, credits: number): Promise<Owner> {
  const { recorder, bought } = stage;
  const email = `${name}@example.com`;
  const { owner, token } = await clientOf(recorder, {}).auth.signUp({ name, email, password: 'correct horse' });
  const agora = clientOf(recorder, { ownerToken: token });
  bought.set(owner.id, credits);
  if (credits > 0) {
    await agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
    await agora.vault.topUp({ amount: credits });
  }
  return { id: owner.id, agora };
}

async function createPerformer(stage: Stage, owner: Owner, kind: Kind, serial: number): Promise<Performer> {
  const { agent, apiKey } = await owner.agora.agents.register({
    displayName: `${kind} ${serial}`,
    framework: 'custom',
    capabilities: [{ category: 'general', tags: [] }],
    pricing: { model: 'per_task', baseRate: 300 + dice(stage.seed, 'price', serial).below(600), currency: 'USD' },
  });
  // Those that hire others spend more in a day than the default lets them.
  await owner.agora.vault.setBudget(agent.id, noBudget);
  return { kind, agentId: agent.id, agora: clientOf(stage.recorder, { agentKey: apiKey }), owner };
}

/** Signs everybody up. The last buyer is poor, so that some submissions find no credits. */
export async function createStage(server: Installation, recorder: Recorder, seed: number): Promise<Stage> {
  const stage: Stage = {
    server,
    recorder,
    seed,
    buyers: [],
    sellers: [],
    performers: [],
    operator: clientOf(recorder, { operatorToken }),
    bought: new Map(),
    acknowledged: new Map(),
    worked: new Set(),
    lied: new Set(),
    answered: new Set(),
    ruled: new Map(),
    appealed: new Set(),
    deeds: new Map(),
  };
  for (let n = 0; n < 8; n++) stage.buyers.push(await createOwner(stage, `buyer-${n}`, n === 7 ? 20_000 : 1_000_000));
  for (let n = 0; n < 4; n++) stage.sellers.push(await createOwner(stage, `seller-${n}`, 1_000_000));
  const all = kinds.flatMap((kind) => Array.from({ length: agentsOfKind[kind] ?? 2 }, () => kind));
  for (const [serial, kind] of all.entries()) {
    const owner = stage.sellers[serial % stage.sellers.length] as Owner;
    stage.performers.push(await createPerformer(stage, owner, kind, serial));
  }
  return stage;
}
