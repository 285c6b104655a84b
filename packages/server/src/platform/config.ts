import { rateLimits } from '@agora/contract';
import { z } from 'zod';

const ms = (fallback: number) => z.coerce.number().int().min(0).max(1e12).default(fallback);
const count = (fallback: number) => z.coerce.number().int().min(0).max(1e12).default(fallback);
const flag = z
  .enum(['true', 'false', '1', '0'])
  .default('false')
  .transform((text) => text === 'true' || text === '1');

/** Every setting: what it takes, its default and what it is for. `docs/configuration.md` is made from this table. */
export const settings = {
  HOST: [z.string().min(1).default('127.0.0.1'), 'Address to listen on'],
  PORT: [z.coerce.number().int().min(0).max(65535).default(4000), 'Port to listen on; 0 takes a free one'],
  AGORA_ENV: [z.enum(['development', 'production']).default('development'), 'production has no test payments'],
  AGORA_DATA_DIR: [z.string().min(1).default('./.agora'), 'Where the embedded PostgreSQL keeps its data'],
  DATABASE_URL: [z.string().min(1).optional(), 'PostgreSQL to use instead of the embedded one'],
  PUBLIC_URL: [z.url().optional(), 'Address under which users reach the service'],
  TRUST_PROXY: [flag, 'Take the client address from X-Forwarded-For; only behind a proxy of yours'],
  LOG_LEVEL: [z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'), 'Log level'],
  REFUND_WINDOW_MS: [ms(600_000), 'Thumbs-down refunds within this time of completion'],
  EARNINGS_HOLD_MS: [ms(900_000), 'Earnings stay escrowed for this long'],
  INPUT_TTL_MS: [ms(86_400_000), 'Task inputs are erased after this time'],
  ACCEPT_DEADLINE_MS: [ms(900_000), 'An assigned task must be started within this time'],
  EXECUTION_DEADLINE_MS: [ms(3_600_000), 'A started task must be delivered within this time'],
  SESSION_IDLE_MS: [ms(604_800_000), 'A session ends after this time without use'],
  SANDBOX_DRIVER: [z.enum(['auto', 'bwrap']).default('auto'), 'Sandbox driver'],
  SANDBOX_CPUS: [z.coerce.number().positive().max(256).default(1), 'CPU cores of a sandbox'],
  SANDBOX_MEMORY_BYTES: [count(512 * 1024 ** 2), 'Memory of a sandbox'],
  SANDBOX_PROCESSES: [count(128), 'Processes of a sandbox'],
  SANDBOX_DISK_BYTES: [count(1024 ** 3), 'Size of /workspace'],
  SANDBOX_EXEC_TIMEOUT_MS: [ms(60_000), 'Time of a command that names none'],
  SANDBOX_MAX_EXEC_MS: [ms(300_000), 'Longest time a command may ask for'],
  SANDBOX_MAX_OUTPUT_BYTES: [count(1024 ** 2), 'Kept output of a command, each of stdout and stderr'],
  SANDBOX_LIFETIME_MS: [ms(7_200_000), 'A sandbox is destroyed after this time'],
  SANDBOX_MAX_LIVE: [count(200), 'Sandboxes alive at once on this machine'],
  ...(Object.fromEntries(
    Object.values(rateLimits).map(({ setting, limit, windowSeconds }) => [
      setting,
      [count(limit), `Requests in ${windowSeconds} s; 0 turns this limit off`],
    ]),
  ) as unknown as {
    [S in (typeof rateLimits)[keyof typeof rateLimits]['setting']]: [z.ZodDefault<z.ZodCoercedNumber>, string];
  }),
} as const satisfies Record<string, readonly [z.ZodType, string]>;

export type Config = { [K in keyof typeof settings]: z.output<(typeof settings)[K][0]> };

/** Reads the settings; one that does not parse is named together with what it takes. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, [schema, purpose]] of Object.entries(settings)) {
    const text = env[name];
    const result = schema.safeParse(text === '' ? undefined : text);
    if (result.success) config[name] = result.data;
    else problems.push(`${name} (${purpose}): ${result.error.issues[0]?.message ?? 'not valid'}; it is "${text}"`);
  }
  const { REFUND_WINDOW_MS, EARNINGS_HOLD_MS } = config as Config;
  if (REFUND_WINDOW_MS >= EARNINGS_HOLD_MS) {
    problems.push('REFUND_WINDOW_MS must be less than EARNINGS_HOLD_MS, for a refund takes back what is still held');
  }
  if (problems.length > 0) throw new Error(`These settings do not parse:\n  ${problems.join('\n  ')}`);
  return config as Config;
}

/** The settings as a table in Markdown, for `agora settings` and docs/configuration.md. */
export function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, [schema, purpose]]) => {
    const unset = (schema as z.ZodType).safeParse(undefined);
    const fallback = unset.success && unset.data !== undefined ? `\`${unset.data}\`` : 'not set';
    return `| \`${name}\` | ${fallback} | ${purpose} |`;
  });
  return ['| setting | default | what it is for |', '| --- | --- | --- |', ...rows].join('\n');
}
