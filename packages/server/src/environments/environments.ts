import { type Environment, type Operations, type ReplyOf, sandboxSizeByPlan } from '@agora-market/contract';
import { ApiError, type Config, invalidField, nearestName, type OwnerCaller } from '../platform/index.ts';
import {
  type AddedToolchain,
  compareVersions,
  isVersion,
  namedImages,
  readToolchains,
  type Sandbox,
  type SandboxDriver,
  SandboxError,
  type SandboxLimits,
  type SandboxStart,
  type Toolchain,
  toolsDirectory,
} from '../sandbox/index.ts';
import { type Tool, toolsByFile, toolsIn } from './ordinary-tools.ts';

type Plan = OwnerCaller['plan'];
type Listed = ReplyOf<Operations['system.environments']>;

/** What the sandboxes of a task start with, its packages aside. */
export interface EnvironmentStart extends SandboxStart {
  /** Undefined: the ordinary ones. */
  limits?: SandboxLimits | undefined;
  setup: { command: string; timeoutMs: number } | null;
}

export interface Environments {
  /** What is there, and what a task may ask for. */
  list(): Promise<Listed>;
  /** Refuses what this server does not have, or the plan does not allow; `planOf` is asked only where it decides. */
  require(environment: Environment | undefined, planOf: () => Promise<Plan> | Plan): Promise<void>;
  /**
   * SANDBOX_UNAVAILABLE where a tool has gone since the task was accepted. `names`: the paths of the buyer's files. `asOf`: when
   * the task was submitted, for its agent and its gate have the same tools whatever the operator adds meanwhile.
   */
  startOf(environment: Environment | undefined, names: Iterable<string>, asOf?: string): Promise<EnvironmentStart>;
  limitsOf(environment: Environment | undefined): SandboxLimits | undefined;
}

interface Deps {
  config: Config;
  driver: Pick<SandboxDriver, 'name'>;
  /** The ordinary limits. */
  limits: SandboxLimits;
  /** An empty sandbox; the caller ends it. */
  openSandbox(): Promise<Sandbox>;
}

const where = 'input.environment';
const MIB = 1024 ** 2;
/** The sandboxes of a task at once: its agent's, and two of its gate. */
const ofOneTask = 3;

export function createEnvironments({ config, driver, limits, openSandbox }: Deps): Environments {
  let ordinary: Promise<Tool[]> | null = null;

  /** Asked once: a process has one kind of sandboxes. */
  function ordinaryTools(): Promise<Tool[]> {
    ordinary ??= lookInto(openSandbox).catch((error) => {
      ordinary = null;
      throw error;
    });
    return ordinary;
  }

  /** Containers have what their image has. */
  const toolchains = async () => (driver.name === 'bwrap' ? readToolchains(toolsDirectory(config)) : []);

  /** The toolchain that a sandbox needs for it: null where it has the tool anyway, undefined where nobody has it. */
  async function find(text: string, added: readonly Toolchain[]): Promise<Toolchain | null | undefined> {
    const [name, version = ''] = text.split('@');
    const fits = (each: Tool) => each.name === name && (version === '' || isVersion(each.version, version));
    if ((await ordinaryTools()).some(fits)) return null;
    return added.find(fits);
  }

  async function refuseTool(text: string, at: number, added: readonly Toolchain[]): Promise<never> {
    const [name = ''] = text.split('@');
    const all = [...(await ordinaryTools()), ...added];
    const named = all.filter((each) => each.name === name).sort((a, b) => compareVersions(b.version, a.version));
    const nearest = nearestName(name, [...new Set(all.map((each) => each.name))]);
    const there = named.map((each) => `${each.name}@${each.version}`).join(', ');
    const has = there !== '' ? `This server has ${there}.` : nearest ? `Did you mean ${nearest}?` : '';
    throw invalidField(
      `${where}.tools.${at}`,
      `names ${text}, which this server does not have. ${has} GET /environments lists what it has; an operator adds more with \`agora tools add\``.replace(
        '  ',
        ' ',
      ),
    );
  }

  /** A setting that is below the ordinary size allows the ordinary size. */
  function most(plan: Plan) {
    const fitting = Math.max(1, Math.floor(config.SANDBOX_MAX_LIVE / ofOneTask));
    const times = Math.min(sandboxSizeByPlan[plan], fitting);
    const upTo = (size: number, setting: number) => Math.max(size, Math.min(size * times, setting));
    return {
      memoryBytes: upTo(limits.memoryBytes, config.SANDBOX_MAX_MEMORY_BYTES),
      cpus: upTo(limits.cpus, config.SANDBOX_MAX_CPUS),
      diskBytes: upTo(limits.diskBytes, config.SANDBOX_MAX_DISK_BYTES),
      maxExecMs: limits.maxExecMs,
    };
  }

  function limitsOf(environment: Environment | undefined): SandboxLimits | undefined {
    const { memoryMb, cpus, diskMb, timeouts } = environment ?? {};
    if (memoryMb === undefined && cpus === undefined && diskMb === undefined && timeouts?.commandMs === undefined)
      return undefined;
    return {
      ...limits,
      ...(memoryMb !== undefined && { memoryBytes: memoryMb * MIB }),
      ...(cpus !== undefined && { cpus }),
      ...(diskMb !== undefined && { diskBytes: diskMb * MIB }),
      ...(timeouts?.commandMs !== undefined && { execMs: timeouts.commandMs }),
    };
  }

  function requireImage(image: string | undefined): void {
    const images = namedImages(config, driver.name);
    if (image === undefined || images.includes(image)) return;
    const reason =
      driver.name !== 'bwrap'
        ? `must be one of the images that this server allows: ${images.join(', ') || 'none'}`
        : 'is only for servers that run sandboxes as containers. Omit it; `tools` chooses programs';
    throw invalidField(`${where}.image`, reason);
  }

  async function requireSize(wanted: Asked, planOf: () => Promise<Plan> | Plan): Promise<void> {
    const beyond = above(wanted, sizeOf(most('enterprise')));
    if (beyond !== null)
      throw invalidField(`${where}.${beyond.field}`, `must be at most ${beyond.limit} on this server`);
    if (above(wanted, sizeOf(most('free'))) === null) return;
    const plan = await planOf();
    const refused = above(wanted, sizeOf(most(plan)));
    if (refused === null) return;
    const { field, limit } = refused;
    const path = `${where}.${field}`;
    const fields = [{ path, message: `may be at most ${limit} with the ${plan} plan` }];
    const reason = `The ${plan} plan allows ${path} up to ${limit} on this server.`;
    throw new ApiError('PLAN_REQUIRED', reason, { plan, limit, fields });
  }

  return {
    limitsOf,
    async list() {
      const [tools, added] = await Promise.all([ordinaryTools(), toolchains()]);
      const shown = ({ name, version }: Tool, isOrdinary: boolean) => ({ name, version, isOrdinary });
      const sizes = (plan: Plan) => sizeOf(most(plan));
      return {
        driver: driver.name,
        tools: [...tools.map((each) => shown(each, true)), ...added.map((each) => shown(each, false))],
        images: [...namedImages(config, driver.name)],
        ordinary: sizeOf(limits),
        most: { free: sizes('free'), pro: sizes('pro'), enterprise: sizes('enterprise') },
      };
    },
    async require(environment, planOf) {
      if (environment === undefined) return;
      const { tools = [], image, timeouts, ...wanted } = environment;
      requireImage(image);
      for (const field of ['commandMs', 'setupMs'] as const) {
        if ((timeouts?.[field] ?? 0) <= limits.maxExecMs) continue;
        const reason = `must be at most ${limits.maxExecMs} ms, the longest that this server allows`;
        throw invalidField(`${where}.timeouts.${field}`, reason);
      }
      await requireSize(wanted, planOf);
      if (tools.length === 0) return;
      if (image !== undefined)
        throw invalidField(`${where}.tools`, 'must be left out where image is given, which has its own');
      const added = await toolchains();
      for (const [at, text] of tools.entries()) {
        if ((await find(text, added)) === undefined) await refuseTool(text, at, added);
      }
    },
    async startOf(environment, names, asOf) {
      const { tools, image, setup, timeouts } = environment ?? {};
      const { maxExecMs } = limits;
      const start = {
        limits: limitsOf(environment),
        setup:
          setup === undefined
            ? null
            : { command: setup, timeoutMs: timeouts?.setupMs ?? Math.min(maxExecMs, config.DEPENDENCY_TIMEOUT_MS) },
        ...(image !== undefined && { image }),
      };
      const wanted = tools ?? toolsFor(names);
      if (wanted.length === 0) return start;
      const all = await toolchains();
      const isLater = ({ addedAt }: AddedToolchain) => asOf !== undefined && addedAt > asOf;
      const added = [...all.filter((each) => !isLater(each)), ...all.filter(isLater)];
      const found: Toolchain[] = [];
      for (const text of wanted) {
        const tool = await find(text, added);
        if (tool) found.push(tool);
        else if (tool === undefined && tools !== undefined) {
          throw new SandboxError('SANDBOX_UNAVAILABLE', `This server no longer has ${text}, which the task asks for.`);
        }
      }
      return { ...start, toolchains: found };
    },
  };
}

async function lookInto(openSandbox: Deps['openSandbox']): Promise<Tool[]> {
  const sandbox = await openSandbox();
  try {
    return await toolsIn(sandbox);
  } finally {
    void sandbox.destroy().catch(() => undefined);
  }
}

/** Only what lies at the root says for all of a project what it is. */
function toolsFor(names: Iterable<string>): string[] {
  const tools = new Set<string>();
  for (const name of names) if (Object.hasOwn(toolsByFile, name)) tools.add(toolsByFile[name]!);
  return [...tools];
}

type Size = Listed['ordinary'];

const sizeOf = ({
  memoryBytes,
  cpus,
  diskBytes,
  maxExecMs,
}: Pick<SandboxLimits, 'memoryBytes' | 'cpus' | 'diskBytes' | 'maxExecMs'>): Size => ({
  memoryMb: Math.floor(memoryBytes / MIB),
  cpus,
  diskMb: Math.floor(diskBytes / MIB),
  commandMs: maxExecMs,
});

type Asked = Pick<Environment, 'memoryMb' | 'cpus' | 'diskMb'>;

/** The first size that is asked for above what is allowed; null for none. */
function above(asked: Asked, allowed: Size): { field: keyof Asked; limit: number } | null {
  for (const field of ['memoryMb', 'cpus', 'diskMb'] as const) {
    if ((asked[field] ?? 0) > allowed[field]) return { field, limit: allowed[field] };
  }
  return null;
}
