import type { Environment } from '@agora-market/contract';

/** What a task asks for its sandboxes, as it is typed; what is empty is the platform's own. */
export interface DraftEnvironment {
  tools: string[];
  image: string;
  memoryMb: string;
  cpus: string;
  diskMb: string;
  setup: string;
  /** Seconds, as is the next. */
  commandTime: string;
  setupTime: string;
}

/** As that of an earlier task would have been typed; empty without one. */
export function draftEnvironment(environment: Environment = {}): DraftEnvironment {
  const { tools = [], image = '', memoryMb, cpus, diskMb, setup = '', timeouts } = environment;
  const text = (number: number | undefined) => `${number ?? ''}`;
  const seconds = (ms: number | undefined) => text(ms === undefined ? undefined : ms / 1_000);
  return {
    ...{ tools, image, setup },
    memoryMb: text(memoryMb),
    cpus: text(cpus),
    diskMb: text(diskMb),
    commandTime: seconds(timeouts?.commandMs),
    setupTime: seconds(timeouts?.setupMs),
  };
}

/** As it is sent; undefined where nothing is asked for. A number that is none is left out. */
export function environmentOf(typed: DraftEnvironment): Environment | undefined {
  const memoryMb = numberIn(typed.memoryMb);
  const cpus = numberIn(typed.cpus);
  const diskMb = numberIn(typed.diskMb);
  const commandTime = numberIn(typed.commandTime);
  const setupTime = numberIn(typed.setupTime);
  const timeouts = {
    ...(commandTime && { commandMs: Math.round(commandTime * 1_000) }),
    ...(setupTime && { setupMs: Math.round(setupTime * 1_000) }),
  };
  const environment: Environment = {
    ...(typed.tools.length > 0 && { tools: typed.tools }),
    ...(typed.image && { image: typed.image }),
    ...(memoryMb && { memoryMb }),
    ...(cpus && { cpus }),
    ...(diskMb && { diskMb }),
    ...(typed.setup.trim() && { setup: typed.setup.trim() }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
  };
  return Object.keys(environment).length > 0 ? environment : undefined;
}

/** What is wrong before anything is sent, by the path of the field in the request. */
export function environmentProblems(typed: DraftEnvironment): Record<string, string> {
  const fields = {
    memoryMb: typed.memoryMb,
    cpus: typed.cpus,
    diskMb: typed.diskMb,
    'timeouts.commandMs': typed.commandTime,
    'timeouts.setupMs': typed.setupTime,
  };
  const odd = Object.entries(fields).filter(([, text]) => text.trim() !== '' && !numberIn(text));
  return Object.fromEntries(odd.map(([field]) => [`input.environment.${field}`, 'Write a number above 0, like 2.']));
}

/** Null where none is written. */
const numberIn = (text: string): number | null =>
  /^\d{1,9}(?:[.,]\d{1,3})?$/.test(text.trim()) ? Number(text.trim().replace(',', '.')) : null;
