import type { TrustTier } from './agent-words.ts';
import type { LimitArea } from './operation.ts';

/** The largest version that a change can be based on: the database counts versions in four bytes, and the next must fit. */
export const maxVersion = 2 ** 31 - 2;

/** Rate-limit scopes: default requests per window, the window, and the setting that overrides the number. */
export const rateLimits = {
  signUp: { limit: 3, windowSeconds: 3600, setting: 'RATE_LIMIT_SIGN_UP' },
  auth: { limit: 30, windowSeconds: 900, setting: 'RATE_LIMIT_AUTH' },
  agent: { limit: 100, windowSeconds: 60, setting: 'RATE_LIMIT_AGENT' },
  ownerTasks: { limit: 30, windowSeconds: 60, setting: 'RATE_LIMIT_OWNER_TASKS' },
  ownerDryRuns: { limit: 6, windowSeconds: 60, setting: 'RATE_LIMIT_OWNER_DRY_RUNS' },
  ownerOversight: { limit: 30, windowSeconds: 60, setting: 'RATE_LIMIT_OWNER_OVERSIGHT' },
  owner: { limit: 100, windowSeconds: 60, setting: 'RATE_LIMIT_OWNER' },
  trust: { limit: 60, windowSeconds: 60, setting: 'RATE_LIMIT_TRUST' },
  public: { limit: 60, windowSeconds: 60, setting: 'RATE_LIMIT_PUBLIC' },
  /** Health probes, which no other request from the same address uses up. */
  probe: { limit: 300, windowSeconds: 60, setting: 'RATE_LIMIT_PROBE' },
  /** Requests to `/mcp`, by address. What a tool calls counts besides, as a call by HTTP does. */
  mcp: { limit: 300, windowSeconds: 60, setting: 'RATE_LIMIT_MCP' },
  /** Requests to `/a2a`, by address. What they call counts besides. */
  a2a: { limit: 300, windowSeconds: 60, setting: 'RATE_LIMIT_A2A' },
  /** Webhooks of the payment processor and of forges come in bursts from few addresses. */
  processor: { limit: 3000, windowSeconds: 60, setting: 'RATE_LIMIT_PROCESSOR' },
} as const;

/**
 * Wrong tries to sign in to one account: of one address, and of all together except those from which its owner has
 * signed in before.
 */
export const signInTries = {
  fromAddress: { limit: 5, windowSeconds: 60 },
  ofAccount: { limit: 10, windowSeconds: 60 },
  /** Wrong codes of the second factor, from anywhere. Only who has the password gets so far. */
  ofSecondFactor: { limit: 10, windowSeconds: 3600 },
} as const;

export type RateLimitScope = keyof typeof rateLimits;

/** Areas whose requests are counted by address, whoever calls. */
const countedByAddress = ['signUp', 'auth', 'mcp', 'a2a', 'processor', 'probe'] as const;
/** What is counted: an operation of the contract, or a request to `/mcp` or `/a2a`. */
export type CountedArea = LimitArea | (typeof countedByAddress)[number];
export type CallerKind = 'anonymous' | 'owner' | 'agent' | 'trust' | 'operator';

const ownerScopes = {
  tasks: 'ownerTasks',
  dryRuns: 'ownerDryRuns',
  oversight: 'ownerOversight',
  general: 'owner',
} as const;

/** The one scope that counts a request. */
export function rateLimitScope(area: CountedArea, caller: CallerKind): RateLimitScope {
  if (isCountedByAddress(area)) return area;
  if (caller === 'agent' || caller === 'trust') return caller;
  // There is one operator, counted as an owner of its own.
  return caller === 'anonymous' ? 'public' : ownerScopes[area];
}

const isCountedByAddress = (area: CountedArea): area is (typeof countedByAddress)[number] =>
  (countedByAddress as readonly string[]).includes(area);

/** Whether a scope counts the requests of an address rather than those of a caller with credentials. */
export const countsAddress = (scope: RateLimitScope): boolean =>
  scope === 'public' || (countedByAddress as readonly string[]).includes(scope);

/** Tasks an agent may have at once, routed to it or started, before smart routing passes it over. */
export const openTasksByTier: Record<TrustTier, number> = {
  unverified: 1,
  provisional: 2,
  established: 5,
  trusted: 10,
  elite: 25,
};

/** Agents that a smart-routed task is offered to, one after the other, before it fails. */
export const routingTries = 3;

/** Attempts that a submission may ask for at most, by plan: each works for one price, so plans limit who may ask for many. */
export const attemptsByPlan = { free: 3, pro: 5, enterprise: 5 } as const;
export const maxAttempts = 5;

/** How many times the ordinary memory, cores and disk of a sandbox a task may ask for, by plan; the operator may allow less. */
export const sandboxSizeByPlan = { free: 2, pro: 3, enterprise: 4 } as const;

/** Agents an owner may have registered (deactivated ones aside), by plan. */
export const agentsByPlan = { free: 10, pro: 50, enterprise: 1000 } as const;

/** Agents that all trust keys of an owner together may ask about in a UTC day, by plan. */
export const trustQueriesByPlan = { free: 1_000, pro: 20_000, enterprise: 500_000 } as const;

/** Agents that one request with a trust key may ask about. */
export const maxTrustBatch = 100;

/** How long an attestation of an agent's reputation counts, in seconds. */
export const attestationSeconds = 3600;

/**
 * The most that an owner may have at once of things that one request creates. A new session above the limit ends the
 * one that was unused for longest; others are refused.
 */
export const ownedAtMost = {
  developerTokens: 50,
  sessions: 100,
  paymentMethods: 20,
  trustKeys: 20,
  pendingApprovals: 100,
  blockedCounterparties: 100,
  forgeConnections: 20,
  intakes: 100,
  packageRegistries: 20,
  templates: 100,
  schedules: 50,
  /** Bytes of the tasks in templates and schedules together: unlike inputs of tasks they stay, and cost nothing. */
  keptTaskBytes: 4 * 1024 * 1024,
} as const;

/** Saved views of the list of tasks that an owner may have. */
export const mostTaskViews = 50;

/**
 * Schedules: the least time between two runs, the failures in a row that pause one, and how long its runs are kept; of those
 * that submitted nothing, the last ones.
 */
export const scheduleLimits = {
  leastMinutes: 15,
  failuresBeforePause: 5,
  keptDays: 90,
  keptWithoutTask: 1_000,
} as const;

/** What the webhooks of an agent, or of an owner, may take, for they cost it nothing. */
export const webhookLimits = {
  perHolder: 10,
  /** Push notifications of A2A that a task can have, and all tasks of an owner together; the oldest give way. */
  pushesPerTask: 3,
  pushesPerOwner: 1_000,
  urlChars: 2_000,
  /** Messages of one webhook that may wait; further ones are dropped, which leaves a gap in `sequence`. */
  waitingPerWebhook: 1_000,
  /** Finished messages of one webhook that are kept. */
  keptPerWebhook: 1_000,
  excerptBytes: 1_024,
} as const;

/** What an owner is told: mails in any hour, above which the rest comes as one, and what is kept of the list. */
export const notificationLimits = { mailsPerHour: 10, keptPerOwner: 5_000, keptDays: 90 } as const;

/** Agents an owner may ever have registered, deactivated ones too, for each that its plan allows at once. */
export const agentsMadePerPlace = 10;

/** Consecutive task failures that suspend an agent (spec, Agent states). */
export const failuresBeforeSuspension = 3;

/** Inline input and output of a task, in bytes of its JSON text. */
export const maxInlineBytes = 256 * 1024;

/**
 * Bundles of Git: the bytes of one, those of all trees that are kept of an owner's, and how long one is kept after it came,
 * and after a task was submitted with it: a task waits for a day at most, and its agent has another.
 */
export const bundles = {
  maxBytes: 16 * 1024 ** 2,
  ownerBytes: 512 * 1024 ** 2,
  keptMs: 86_400_000,
  taskMs: 3 * 86_400_000,
} as const;

/** Body of any other request, in bytes. */
export const maxBodyBytes = 1024 * 1024;

/** Objects and arrays inside one another in the body of any request. */
export const maxBodyDepth = 200;

/** Commas in the body of any request, outside its strings: a body within the size of a task's output never has more. */
export const maxBodyCommas = 150_000;

/** Names of fields in the body of any request, at every depth. An object of 90,000 keys take a tenth of a second; this many take 15 ms. */
export const maxBodyNames = 15_000;

/** Numbers of 16 digits or more in the body of any request. JSON.parse takes 0.6 us for one between two doubles. */
export const maxBodyLongNumbers = 10_000;

/** What is kept of the commands that an agent runs for a task. */
export const commandRecords = { perTask: 2_000, labelChars: 200 } as const;

/** Progress notes: so many in a minute that begins with a note, so many in all, and characters of one. */
export const progressNotes = { perMinute: 30, perTask: 500, maxChars: 2000 } as const;

/**
 * Messages of a task: how many each party may post, their sizes, and what questions may pause. The bytes of attachments
 * are those before base64.
 */
export const taskMessages = {
  perParty: 50,
  textChars: 10_000,
  /** Of a text that the inbox shows. */
  excerptChars: 300,
  attachments: 5,
  attachmentBytes: 64 * 1024,
  attachmentBytesPerParty: 1024 ** 2,
  defaultAnswerChars: 2_000,
  pauses: 3,
  pausedMs: 86_400_000,
  /** With less left of it nobody could answer in time. */
  leastPauseMs: 3_600_000,
  offerMs: 86_400_000,
} as const;

/** The most dry runs of checks on one server at once. An owner has one of them. */
export const dryRunsAtOnce = 4;

/** CPU time of the gates of one owner's tasks: the window in which it counts, and the setting with the minutes allowed in it. */
export const gateCpu = { windowSeconds: 86_400, setting: 'GATE_CPU_MINUTES' } as const;

/** Quality gate: the lowest score that passes, and the band a language-model judge also sees. */
export const gate = { passScore: 50, judgeFrom: 50, judgeTo: 70, neutralScore: 60 } as const;

/** Smallest and largest top-up, in cents. */
export const topUpRange = { min: 500, max: 1_000_000 } as const;

/** Smallest and largest withdrawal, in cents: sending less costs more than it is worth, and processors take no more. */
export const withdrawalRange = { min: 100, max: 99_999_999 } as const;

/** Mails that an owner is shown of those that development kept instead of sending. */
export const caughtMailsAtMost = 20;
