import { AuthenticationError, ConnectionError } from '@agora-market/sdk';
import { createWorker, type TaskHandler, type WorkerOptions } from '@agora-market/sdk/worker';
import type { Command } from 'commander';
import { connect } from '../connection.ts';
import { exitCodes } from '../failure.ts';
import type { PresetName } from './command/presets.ts';
import { createFates } from './fates.ts';
import { createLog, type Log } from './log.ts';
import { createPauses } from './pauses.ts';
import type { Performer } from './performer.ts';

/** The options as commander hands them over. */
export interface CommandOptions {
  url?: string;
  profile?: string;
  concurrency: number;
  minPrice: number;
  minBuyerTasks?: number;
  minBuyerPassRate?: number;
  maxBuyerRefundRate?: number;
  verifiedBuyers?: boolean;
  categories?: string[];
  /** Seconds. */
  grace: number;
  /** Seconds. */
  retryFor: number;
  json?: boolean;
  exec?: string;
  workspace?: boolean;
  preset?: PresetName;
  model?: string;
  baseUrl?: string;
  inputPrice: number;
  outputPrice: number;
  maxCost?: number;
  maxTokens: number;
  maxSteps: number;
  contextTokens: number;
  a2a?: string;
}

/** Works until SIGTERM or SIGINT and ends every started task; a second signal exits at once. */
export async function workerCommand(options: CommandOptions, command: Command): Promise<void> {
  const log = createLog(options.json === true, (line) => process.stderr.write(`${line}\n`));
  const stop = new AbortController();
  const onSignal = (name: string) => {
    if (stop.signal.aborted) process.exit(exitCodes.interrupted);
    log.line('stopping', { signal: name, graceSeconds: options.grace });
    stop.abort(new Error(`The worker got ${name}`));
  };
  const names = ['SIGINT', 'SIGTERM'] as const;
  for (const name of names) process.on(name, onSignal);
  try {
    await work(options, log, stop.signal, command);
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    log.line('refused', { reason: error.message, hint: 'Set AGORA_AGENT_KEY to the key of an agent (ac_live_…).' });
    process.exitCode = exitCodes.signedOut;
  } finally {
    for (const name of names) process.off(name, onSignal);
  }
  if (process.exitCode === undefined) log.line('stopped', {});
}

async function work(options: CommandOptions, log: Log, signal: AbortSignal, command: Command): Promise<void> {
  const performer = await performerOf(options, log, command);
  const place = {
    ...(options.url !== undefined && { url: options.url }),
    ...(options.profile !== undefined && { profile: options.profile }),
  };
  const agora = connect(place, options.retryFor * 1000);
  const pauses = createPauses(performer, agora, log, signal);
  await pauses.begin();
  if (signal.aborted) return;
  const handle: TaskHandler = async (work) => {
    try {
      return await performer.handle(work);
    } catch (error) {
      if (performer.isOutage?.(error)) void pauses.begin();
      throw error;
    }
  };
  const fates = createFates(agora, log, signal);
  const worker = createWorker({
    agora,
    handle: withPatience(handle, signal, Math.max(0, options.grace * 1000 - lastWordsMs)),
    async accepts(task) {
      await pauses.end();
      const { environment } = task.input;
      if (environment !== undefined) log.line('offered', { task: task.id, environment: JSON.stringify(environment) });
      return performer.accepts?.(task) ?? true;
    },
    ...(options.categories && { categories: options.categories as NonNullable<WorkerOptions['categories']> }),
    concurrency: options.concurrency,
    minPriceCents: options.minPrice,
    buyers: {
      minTasks: options.minBuyerTasks,
      minPassRate: options.minBuyerPassRate,
      maxRefundRate: options.maxBuyerRefundRate,
      verifiedPayment: options.verifiedBuyers,
    },
    graceMs: options.grace * 1000,
    onStep: fates.step,
    onError: log.error,
  });
  if (agora.hasAgentKey) await sayWho(agora, performer, log);
  await worker.run({ signal });
  await fates.told();
}

/** Of the grace time, what is left to end what still runs and to report it. */
const lastWordsMs = 3_000;

/** When the worker stops, the work goes on for so long before its signal fires; when its task is over, it fires at once. */
function withPatience(handle: TaskHandler, stop: AbortSignal, patienceMs: number): TaskHandler {
  return async (work) => {
    const over = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const onAbort = () => {
      const end = () => over.abort(work.signal.reason);
      if (work.signal.reason === stop.reason) timer = setTimeout(end, patienceMs);
      else end();
    };
    if (work.signal.aborted) onAbort();
    work.signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await handle({ ...work, signal: over.signal });
    } finally {
      clearTimeout(timer);
      work.signal.removeEventListener('abort', onAbort);
    }
  };
}

/** Says for whom it works. A server that is not there yet is no reason to stop: the worker waits for it. */
async function sayWho(agora: ReturnType<typeof connect>, performer: Performer, log: Log): Promise<void> {
  try {
    const { id, displayName } = await agora.agents.me();
    log.line('ready', { agent: id, name: displayName, by: performer.name });
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    log.error(error, null);
  }
}

async function performerOf(options: CommandOptions, log: Log, command: Command): Promise<Performer> {
  const refuse = (message: string): never => command.error(`error: ${message}`, { exitCode: exitCodes.usage });
  const { exec, preset, model, baseUrl, a2a } = options;
  if ([exec, preset, model, a2a].filter((each) => each !== undefined).length !== 1) {
    return refuse('give one of --exec, --preset, --model and --a2a: what does the tasks');
  }
  if (options.workspace && exec === undefined) return refuse('--workspace goes with --exec');
  if (exec !== undefined) {
    const { performByCommand } = await import('./command/perform.ts');
    return performByCommand(exec, { directory: process.cwd(), workspace: options.workspace === true }, log);
  }
  if (preset !== undefined) {
    const { performByPreset } = await import('./command/perform.ts');
    return performByPreset(preset, { directory: process.cwd(), maxCostCents: options.maxCost }, log);
  }
  if (a2a !== undefined) {
    if (!URL.canParse(a2a)) return refuse(`--a2a takes an address; it is "${a2a}"`);
    return (await import('./a2a/perform.ts')).performByA2a(a2a, process.env.AGORA_A2A_TOKEN, log);
  }
  if (model === undefined || baseUrl === undefined || !URL.canParse(baseUrl)) {
    return refuse('--model needs --base-url, for example http://127.0.0.1:11434/v1');
  }
  const { performByModel } = await import('./model/perform.ts');
  return performByModel({ ...options, model, baseUrl, apiKey: process.env.AGORA_MODEL_API_KEY }, log);
}
