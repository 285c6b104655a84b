import { exchangeEnd, longestExecMs, rateLimits } from '@agora-market/contract';
import { z } from 'zod';
import { placeOfRedis } from '../http/redis-url.ts';
import { placeOfNats } from '../hub/nats-url.ts';
import { sandboxesThatFit } from '../machine.ts';
import { isPostgresUrl } from '../postgres/hosts-of-url.ts';
import { allRoles, readRoles } from '../roles.ts';
import { accountSettings } from './account-settings.ts';
import { contradictions } from './contradictions.ts';
import { accepted, misspelt } from './problems.ts';
import { proxies } from './proxies.ts';
import { defaultRegistries, registriesForm, registriesPattern } from './registries.ts';
import { tracingSettings } from './tracing-settings.ts';
import { count, httpUrl, imageNames, isPrivateKey, MIB, ms, whole } from './values.ts';

/** Every setting: its values, its default and its purpose. `docs/configuration.md` is made from this table. */
export const settings = {
  HOST: [z.string().min(1).default('127.0.0.1'), 'Address to listen on'],
  PORT: [z.coerce.number().int().min(0).max(65535).default(4000), 'Port to listen on; 0 takes a free one'],
  AGORA_ENV: [z.enum(['development', 'production']).default('development'), 'production has no test payments'],
  DEMO_AGENT: [
    z.enum(['on', 'off']).default('on'),
    'Development only: `on` runs a demo agent beside the service, which does small text tasks for first steps',
  ],
  AGORA_DATA_DIR: [
    z.string().min(1).default('./.agora'),
    'Where the embedded PostgreSQL and the service keep their data',
  ],
  DATABASE_URL: [
    z
      .string()
      .refine(
        isPostgresUrl,
        'takes postgres://user:password@host:port/database, of several hosts host1:port,host2:port',
      )
      .optional(),
    'PostgreSQL to use instead of the embedded one; of [several hosts](several-servers.md#when-postgresql-fails-over) the primary',
  ],
  REDIS_URL: [
    z
      .string()
      .refine(
        (url) => placeOfRedis(url) !== null,
        'takes redis://host:port, redis+sentinel://host1:port,host2:port/name or redis+cluster://host1:port,host2:port',
      )
      .optional(),
    'Redis or Valkey, [also of Sentinel or a cluster](several-servers.md#redis-or-valkey), in which all servers count rate limits together; without it each server counts by itself',
  ],
  NATS_URL: [
    z
      .string()
      .refine(
        (url) => placeOfNats(url) !== null,
        'takes nats://user:password@host1:4222,host2:4222, nats://token@host:4222, or either with tls',
      )
      .optional(),
    'NATS, through which [many servers](several-servers.md#nats) tell each other that something has changed; without it they do so through PostgreSQL',
  ],
  REQUESTS_AT_ONCE: [whole(0, 1_000_000, 100), 'Requests of one caller under way at one server; 0 turns the limit off'],
  AGORA_ENCRYPTION_KEY: [
    z.string().min(32).optional(),
    'Secret that encrypts keys, tokens and kept replies; the same on all servers of a database. Without it one is made in AGORA_DATA_DIR',
  ],
  AGORA_OPERATOR_TOKEN: [
    z.string().min(32).regex(/^\S+$/, 'takes no blanks').optional(),
    'Token of the operator, sent as `Authorization: Bearer`; without it operator operations are refused',
  ],
  PUBLIC_URL: [z.url().optional(), 'Address under which users reach the service'],
  ...accountSettings,
  ROLES: [
    z
      .string()
      .default(allRoles.join(','))
      .transform((text, context) => {
        const named = readRoles(text);
        if (named !== null) return named;
        context.addIssue({ code: 'custom', message: `takes ${allRoles.join(', ')}, with commas between` });
        return z.NEVER;
      }),
    'What this server does; [servers of one database](several-servers.md#roles) together must have every role',
  ],
  PEER_URL: [
    z
      .url({ protocol: /^https?$/ })
      .refine((text) => new URL(text).pathname === '/', 'takes an address without a path')
      .optional(),
    'Address at which other servers of the database reach this one; default: HOST and PORT, or an address of the machine',
  ],
  PEER_DEAD_MS: [
    ms(20_000, 1000),
    'A server without a heartbeat for this time counts as dead: others take over what it held',
  ],
  DELIVERY_WAIT_MS: [
    ms(1_800_000),
    'Deliveries and kept workspaces that only the disk of a dead server has count as lost after this time',
  ],
  TRUST_PROXY: [
    proxies,
    'Whose X-Forwarded-For counts: `true` for one proxy in front, the number of proxies, or their addresses and CIDRs',
  ],
  LOG_LEVEL: [z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'), 'Log level'],
  ...tracingSettings,
  REFUND_WINDOW_MS: [ms(600_000), 'Thumbs-down refunds within this time of completion'],
  EARNINGS_HOLD_MS: [ms(900_000), 'Earnings stay escrowed for this long'],
  PAYOUT_HOLD_MS: [
    ms(604_800_000),
    'Released earnings cannot be withdrawn for this long where a young card paid, or for the first payouts; 0: no hold',
  ],
  PAYMENT_LIMITS: [
    z.enum(['on', 'off']).optional(),
    'Whether payments within a day are limited, and take a verified address; default: on with STRIPE_SECRET_KEY, else off',
  ],
  INPUT_TTL_MS: [ms(86_400_000, 1), 'Task inputs are erased after this time'],
  ACCEPT_DEADLINE_MS: [ms(900_000, 1), 'An assigned task must be started within this time'],
  AGENT_SILENT_MS: [
    ms(600_000),
    'Smart routing skips agents that have not polled for this time, or never polled and left a task unanswered for it; 0 skips none',
  ],
  QUEUE_OWNER_TASKS: [whole(0, 100_000, 100), 'Tasks of one owner that may wait for an agent at once (`waitMinutes`)'],
  EXECUTION_DEADLINE_MS: [ms(3_600_000, 1), 'A started task must be delivered within this time'],
  SESSION_IDLE_MS: [ms(604_800_000, 1), 'A session ends after this time without use'],
  OUTBOUND_ALLOW_LOOPBACK: [
    z.stringbool().default(false),
    'Development only: repositories may be cloned from this machine and webhooks sent to it, also by http',
  ],
  REPOSITORY_MAX_BYTES: [
    whole(1024, 1024 * MIB, 128 * MIB),
    'Largest repository accepted as an input, sent and unpacked',
  ],
  REPOSITORY_MAX_FILES: [whole(1, 1e6, 50_000), 'Most files and directories of a repository accepted as an input'],
  REPOSITORY_TIMEOUT_MS: [whole(100, 3_600_000, 60_000), 'Longest time for cloning a repository'],
  STORAGE_OWNER_BYTES: [
    whole(1, 1e15, 40_960 * MIB),
    'Bytes of deliveries, artifacts and kept repositories that one owner may have as buyer, and again as seller',
  ],
  STORAGE_TOTAL_BYTES: [whole(1, 1e15, 204_800 * MIB), 'The same of all owners together'],
  STORAGE_FLOOR_BYTES: [
    whole(0, 1e15, 512 * MIB),
    'With less free disk space, operations that add data are refused; 0: never',
  ],
  ARTIFACT_TTL_MS: [ms(604_800_000, 1), 'Artifacts are erased after this time'],
  ARTIFACT_MAX_COUNT: [whole(0, 10_000, 200), 'Artifacts kept of a task'],
  ARTIFACT_MAX_BYTES: [whole(0, 1024 * MIB, 64 * MIB), 'Largest artifact'],
  ARTIFACT_TOTAL_BYTES: [whole(0, 1024 * MIB, 256 * MIB), 'Artifacts of a task together'],
  S3_BUCKET: [
    z.string().min(1).optional(),
    'Bucket for deliveries, kept workspaces, artifacts and kept repositories; without it they are in AGORA_DATA_DIR',
  ],
  S3_ENDPOINT: [z.url().optional(), 'S3-compatible store other than Amazon S3'],
  S3_REGION: [z.string().min(1).default('us-east-1'), 'Region of the bucket'],
  S3_PREFIX: [z.string().default(''), 'Put before every key in the bucket'],
  S3_ACCESS_KEY_ID: [z.string().min(1).optional(), 'With S3_SECRET_ACCESS_KEY; else found where Amazon’s tools look'],
  S3_SECRET_ACCESS_KEY: [z.string().min(1).optional(), 'See S3_ACCESS_KEY_ID'],
  S3_SSE: [
    z.enum(['AES256', 'aws:kms']).optional(),
    'How the store encrypts what it is sent; default: as the bucket is set up',
  ],
  S3_SSE_KMS_KEY_ID: [z.string().min(1).optional(), 'Key for S3_SSE=aws:kms; default: the store’s own'],
  RECONCILE_EVERY_MS: [ms(86_400_000), 'How often reconciliation runs; 0 turns it off'],
  GATE_CPU_MINUTES: [
    z.coerce.number().min(0).max(1e9).default(120),
    "CPU minutes in 24 hours for the gates of one owner's tasks; beyond it, tasks whose gate runs commands are refused; 0: no limit",
  ],
  DEPENDENCY_REGISTRIES: [
    z.string().regex(registriesPattern, registriesForm).default(defaultRegistries),
    'Where packages come from that the lockfile of an input names, by the kind of the registry, for sandboxes that start with them; may be private addresses; `off`: nothing is installed',
  ],
  DEPENDENCY_SCRIPTS: [
    z.enum(['on', 'off']).default('on'),
    'Whether install scripts of packages run, in the sandbox without network where they are installed',
  ],
  DEPENDENCY_MAX_BYTES: [whole(1024, 1e10, 256 * MIB), 'Packages of one input together, as the registry sends them'],
  DEPENDENCY_LAYER_BYTES: [whole(1024, 1e10, 512 * MIB), 'Installed packages of one input together'],
  DEPENDENCY_TIMEOUT_MS: [
    ms(120_000, 1000),
    'Longest time for fetching the packages of an input, and for installing them',
  ],
  DEPENDENCY_CACHE_BYTES: [
    whole(0, 1e15, 10_240 * MIB),
    'Bytes on a server for packages and installations; beyond it those go that were not used for the longest time',
  ],
  DRY_RUN_MS: [
    whole(1000, 60_000, 60_000),
    'Longest time for a dry run of checks, with cloning and all commands; at most a minute',
  ],
  SANDBOX_DRIVER: [
    z.enum(['auto', 'bwrap', 'docker', 'kubernetes']).default('auto'),
    'Sandbox driver; `auto` is bwrap, and docker where bwrap cannot run and an image is named',
  ],
  SANDBOX_DOCKER_IMAGE: [
    z.string().min(1).max(500).optional(),
    'Image of containers; needs sh and rm, nothing of ours',
  ],
  SANDBOX_DOCKER_IMAGES: [
    imageNames,
    'Further images that a task may name in `input.environment.image`, with commas between',
  ],
  SANDBOX_DOCKER_HOST: [
    z
      .string()
      .regex(/^(unix:\/\/\/.+|(tcp|https?):\/\/[^/]+\/?)$/, 'takes unix:///path, tcp://host:port or https://host:port')
      .default('unix:///var/run/docker.sock'),
    'Container engine that speaks the Docker Engine API: Docker or Podman',
  ],
  SANDBOX_DOCKER_CERT_PATH: [
    z.string().min(1).optional(),
    'Directory with ca.pem, cert.pem and key.pem for an engine behind TLS',
  ],
  SANDBOX_DOCKER_RUNTIME: [
    z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,100}$/, 'takes the name of a runtime')
      .optional(),
    "Runtime of containers, as `runsc` or `kata`; the engine's own where absent",
  ],
  SANDBOX_KUBERNETES_IMAGE: [
    z.string().min(1).max(500).optional(),
    'Image of sandboxes in Kubernetes; needs sh and rm, nothing of ours',
  ],
  SANDBOX_KUBERNETES_IMAGES: [
    imageNames,
    'Further images that a task may name in `input.environment.image`, with commas between',
  ],
  SANDBOX_KUBERNETES_AGENT_IMAGE: [
    z.string().min(1).max(500).optional(),
    'Image with the sandbox agent and the door, from `agora sandbox-image`',
  ],
  SANDBOX_KUBERNETES_NAMESPACE: [
    z
      .string()
      .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'takes the name of a namespace')
      .optional(),
    "Namespace of sandboxes; the kubeconfig's or this Pod's own where absent",
  ],
  SANDBOX_KUBERNETES_TEMPLATE: [
    z.string().min(1).optional(),
    'File with a PodTemplate: on which nodes and with which runtime class sandboxes run',
  ],
  SANDBOX_KUBERNETES_START_MS: [
    ms(60_000, 1000),
    'Longest time for a Pod to start, with choosing a node and pulling images',
  ],
  SANDBOX_KUBERNETES_WARM: [
    whole(0, 100, 0),
    'Pods that each server starts ahead for the next tasks; they use the cluster also while nobody does',
  ],
  SANDBOX_CPUS: [z.coerce.number().min(0.05).max(256).default(1), 'CPU cores of a sandbox'],
  // Refuses values with which no sandbox could work, so that a wrong setting fails at the start and not with every
  // task.
  SANDBOX_MEMORY_BYTES: [whole(16 * MIB, 1e12, 512 * MIB), 'Memory of a sandbox'],
  SANDBOX_MAX_CPUS: [
    z.coerce.number().min(0.05).max(256).default(4),
    'The most that a task may ask for with `input.environment`; plans allow less',
  ],
  SANDBOX_MAX_MEMORY_BYTES: [whole(16 * MIB, 1e12, 4096 * MIB), 'The same of memory'],
  SANDBOX_MAX_DISK_BYTES: [whole(MIB, 1e12, 8192 * MIB), 'The same of the size of /workspace'],
  SANDBOX_TOOLS: [
    z.string().min(1).optional(),
    'Directory of toolchains that `agora tools add` fills; default: /var/lib/agora/tools for root, ~/.local/share/agora/tools for others',
  ],
  SANDBOX_PROCESSES: [whole(4, 4000, 128), 'Processes of a sandbox'],
  SANDBOX_DISK_BYTES: [whole(MIB, 1e12, 1024 * MIB), 'Size of /workspace'],
  SANDBOX_EXEC_TIMEOUT_MS: [ms(60_000, 1), 'Time limit of a command that names none'],
  SANDBOX_MAX_EXEC_MS: [whole(100, longestExecMs, 300_000), 'Longest time limit that a command may name'],
  SANDBOX_MAX_OUTPUT_BYTES: [whole(1024, 64 * MIB, MIB), 'Kept output of a command, each of stdout and stderr'],
  SANDBOX_MAX_STREAM_BYTES: [whole(1024, 1e12, 64 * MIB), 'Output of a streamed command, each of stdout and stderr'],
  SANDBOX_BACKGROUND: [whole(0, 32, 8), 'Background processes of a sandbox at once'],
  SANDBOX_BACKGROUND_OUTPUT_BYTES: [whole(1024, 64 * MIB, 128 * 1024), 'Kept output of a background process'],
  SANDBOX_CPU_QUOTA_MS: [ms(1_800_000), 'CPU time after which a sandbox is paused; 0: none'],
  SANDBOX_DISK_QUOTA_BYTES: [whole(0, 1e12, 0), 'Bytes in /workspace at which a sandbox is paused; 0: none'],
  SANDBOX_RESUMES: [whole(0, 1000, 3), 'How often a paused sandbox may be resumed'],
  SANDBOX_KEEP_BYTES: [
    whole(1, 1e15, 10_240 * MIB),
    'Bytes on a server, or in the bucket, for workspaces of sandboxes that ended before their tasks; beyond it the owner with most loses one',
  ],
  SNAPSHOT_MS: [
    z.coerce.number().int().min(0).max(1e12).optional(),
    'The work in a live sandbox is [stored](sandbox.md#snapshots) at most so long after a change; 0: never; default: 300000 with S3_BUCKET or `SANDBOX_DRIVER=kubernetes`, else 0',
  ],
  SANDBOX_LIFETIME_MS: [ms(7_200_000, 1000), 'A sandbox ends after this time; its workspace is kept for the next one'],
  SANDBOX_MAX_LIVE: [
    z.coerce.number().int().min(1).max(1e6).optional(),
    'Live sandboxes on this machine; default: as many as fit into three quarters of its memory, 200 at most',
  ],
  SANDBOX_OWNER_SHARE: [
    z.coerce.number().min(0.01).max(1).default(0.5),
    "Share of the agents' sandboxes, of all servers together, for one owner's tasks, and for one owner's agents",
  ],
  SANDBOX_WARM: [whole(0, 100, 2), 'Sandboxes of bwrap that are started ahead for the next tasks; 0: none'],
  STRIPE_SECRET_KEY: [
    z
      .string()
      .regex(/^[rs]k_\w+$/, 'takes sk_… or rk_…')
      .optional(),
    'Key of the Stripe account that charges and pays out; with it payments are real in every AGORA_ENV',
  ],
  STRIPE_WEBHOOK_SECRET: [
    z
      .string()
      .regex(/^whsec_\S+$/, 'takes whsec_…')
      .optional(),
    "Secret of the webhook endpoint `/api/v1/vault/processor/webhook`; without it Stripe's webhooks get 503",
  ],
  STRIPE_API_BASE: [
    z
      .url({ protocol: /^https?$/ })
      .refine((text) => URL.canParse(text) && new URL(text).pathname === '/', 'takes an address without a path')
      .optional(),
    "Address for Stripe requests other than Stripe's own",
  ],
  GITHUB_API_BASE: [httpUrl.default('https://api.github.com'), 'Address of the GitHub API; it must be public'],
  GITHUB_BASE_URL: [
    httpUrl.default('https://github.com'),
    'Address of GitHub; repositories below it are cloned with the connected account of their buyer',
  ],
  GITHUB_CLIENT_ID: [
    z.string().min(1).optional(),
    'OAuth app for connections without a token; needs GITHUB_CLIENT_SECRET',
  ],
  GITHUB_CLIENT_SECRET: [z.string().min(1).optional(), 'See GITHUB_CLIENT_ID'],
  GITHUB_APP_ID: [
    z
      .string()
      .regex(/^\d{1,20}$/, 'takes the number of the App')
      .optional(),
    'GitHub App in place of the OAuth app; needs GITHUB_APP_PRIVATE_KEY and GITHUB_APP_WEBHOOK_SECRET, and the client of the same App',
  ],
  GITHUB_APP_PRIVATE_KEY: [
    z
      .string()
      .transform((text) => text.replaceAll('\\n', '\n'))
      .refine(isPrivateKey, 'takes the private key of the App as PEM; its line ends may be written as \\n')
      .optional(),
    'See GITHUB_APP_ID',
  ],
  GITHUB_APP_WEBHOOK_SECRET: [z.string().min(1).optional(), 'See GITHUB_APP_ID'],
  FORGE_TRUSTED_HOSTS: [
    z
      .string()
      .default('')
      .transform((text) => text.split(/[\s,]+/).filter((host) => host !== ''))
      .refine(
        (hosts) => hosts.every((host) => /^[a-z0-9.:-]{1,253}$/.test(host)),
        'takes host names, separated by commas',
      ),
    'Hosts of Gitea, Forgejo or GitLab that owners may connect although their addresses are private; others must be public',
  ],
  JUDGE_BASE_URL: [
    z
      .url({ protocol: /^https?$/ })
      .refine((text) => new URL(text).username === '', 'takes no user name or password')
      .optional(),
    'OpenAI-compatible endpoint (https://host/v1) that also judges scores of 50 to 70; may be a private address',
  ],
  JUDGE_API_KEY: [z.string().min(1).optional(), 'API key of the judge, if it needs one'],
  JUDGE_MODEL: [z.string().min(1).max(200).optional(), 'The model that judges'],
  JUDGE_MAX_CHARS: [whole(4000, 1e6, 60_000), 'Characters of task, delivery and evidence sent for one opinion'],
  JUDGE_MAX_TOKENS_A_DAY: [
    count(2_000_000),
    'Tokens that all servers together may spend on opinions in a UTC day; 0 is no limit',
  ],
  JUDGE_OWNER_PERCENT: [whole(1, 100, 10), 'Percent of these tokens for the tasks of one owner'],
  JUDGE_CALL_MS: [whole(100, 100_000, 20_000), 'Time limit of one call to the judge'],
  JUDGE_TOTAL_MS: [whole(100, 100_000, 45_000), 'Time limit of one opinion with all its retries'],
  DISPUTE_WINDOW_MS: [ms(1_209_600_000, 1), 'A completed task can be disputed within this time of completion'],
  DISPUTE_RESPONSE_MS: [ms(259_200_000, 1), 'The seller must answer a dispute within this time, or the buyer wins'],
  DISPUTE_DECISION_MS: [
    ms(1_209_600_000, 1),
    'The operator must decide a dispute within this time of the answer, or the last verdict on it stands',
  ],
  WORKSPACE_KEEP_MS: [
    ms(86_400_000),
    'Assessed workspaces are kept this long for appeals and disputes, and no longer than their inputs',
  ],
  WORKSPACE_KEEP_BYTES: [
    whole(0, 1e15, 10_240 * MIB),
    'Bytes on a server, or in the bucket, for assessed workspaces; beyond it the owner with most loses one',
  ],
  EXCHANGE_SUNSET: [z.iso.datetime({ offset: true }).default(exchangeEnd.sunset), 'When the legacy exchange ends'],
  APPROVAL_TTL_MS: [ms(86_400_000, 1), 'An approval request that nobody decides within this time is denied'],
  ACCEPT_WINDOW_MS: [ms(86_400_000, 1), 'A buyer can pay for work that failed at the gate within this time'],
  APPEAL_WINDOW_MS: [ms(86_400_000, 1), 'An agent can appeal a failure at the gate within this time'],
  ADVISORY_DB_DIR: [
    z.string().min(1).optional(),
    'Directory with OSV advisories as JSON files; without it dependencies are not checked',
  ],
  ...(Object.fromEntries(
    Object.values(rateLimits).map(({ setting, limit, windowSeconds }) => [
      setting,
      [
        count(limit),
        `Requests in ${windowSeconds} s; 0 turns this limit off${setting === rateLimits.signUp.setting ? ', as does development for this machine itself' : ''}`,
      ],
    ]),
  ) as unknown as {
    [S in (typeof rateLimits)[keyof typeof rateLimits]['setting']]: [z.ZodDefault<z.ZodCoercedNumber>, string];
  }),
} as const satisfies Record<string, readonly [z.ZodType, string]>;

/** Settings whose values must not reach a terminal or a log. */
export const secrets = new Set([
  'DATABASE_URL',
  'REDIS_URL',
  'NATS_URL',
  'SMTP_URL',
  'AGORA_ENCRYPTION_KEY',
  'AGORA_OPERATOR_TOKEN',
  'TURNSTILE_SECRET_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'JUDGE_API_KEY',
  'GITHUB_CLIENT_SECRET',
  'GITHUB_APP_PRIVATE_KEY',
  'GITHUB_APP_WEBHOOK_SECRET',
  // Refused with a password in it, which must not be shown then.
  'JUDGE_BASE_URL',
  'S3_SECRET_ACCESS_KEY',
]);

export type Config = { [K in keyof typeof settings]: z.output<(typeof settings)[K][0]> } & {
  SANDBOX_MAX_LIVE: number;
  SNAPSHOT_MS: number;
  EMAIL_VERIFICATION: 'required' | 'off';
  PAYMENT_LIMITS: 'on' | 'off';
};

/** Reads the settings; an invalid one is reported with the accepted values. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, [schema, purpose]] of Object.entries(settings)) {
    const text = env[name];
    const result = schema.safeParse(text === '' ? undefined : text, { error: accepted });
    if (result.success) config[name] = result.data;
    else {
      const given = secrets.has(name) ? '' : `; it is "${text}"`;
      problems.push(`${name} (${purpose}) ${result.error.issues[0]?.message}${given}`);
    }
  }
  problems.push(...misspelt(env, Object.keys(settings)));
  config.SANDBOX_MAX_LIVE ??= sandboxesThatFit((config as Config).SANDBOX_MEMORY_BYTES);
  // Elsewhere a sandbox ends by itself only with its machine, and no disk need hold more.
  const isAmongMany = config.S3_BUCKET !== undefined || config.SANDBOX_DRIVER === 'kubernetes';
  config.SNAPSHOT_MS ??= isAmongMany ? 300_000 : 0;
  config.EMAIL_VERIFICATION ??= config.SMTP_URL === undefined ? 'off' : 'required';
  // The test processor moves no money that could be stolen.
  config.PAYMENT_LIMITS ??= config.STRIPE_SECRET_KEY === undefined ? 'off' : 'on';
  problems.push(...contradictions(config as Config, problems));
  if (problems.length > 0) throw new Error(`These settings cannot be used:\n  ${problems.join('\n  ')}`);
  return config as Config;
}

/** The settings as a table in Markdown, for `agora settings` and docs/configuration.md. */
export function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, [schema, purpose]]) => {
    const unset = (schema as z.ZodType).safeParse(undefined);
    const text = unset.success ? String(unset.data ?? '') : '';
    const fallback = text === '' ? 'not set' : `\`${text}\``;
    return `| \`${name}\` | ${fallback} | ${purpose} |`;
  });
  return ['| setting | default | what it is for |', '| --- | --- | --- |', ...rows].join('\n');
}
