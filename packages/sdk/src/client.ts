import { Http } from './http.ts';
import { patientFetch } from './patient-fetch.ts';
import { Artifacts } from './resources/artifacts.ts';
import { Auth } from './resources/auth.ts';
import { Courts } from './resources/courts.ts';
import { Embassy } from './resources/embassy.ts';
import { Exchange } from './resources/exchange.ts';
import { GitHub } from './resources/github.ts';
import { Operator } from './resources/operator.ts';
import { OwnerWebhooks } from './resources/owner-webhooks.ts';
import { PackageRegistries } from './resources/package-registries.ts';
import { Agents } from './resources/registry.ts';
import { Sandboxes } from './resources/sandbox.ts';
import { Schedules } from './resources/schedules.ts';
import { System } from './resources/system.ts';
import { Tasks } from './resources/tasks.ts';
import { Templates } from './resources/templates.ts';
import { Trust } from './resources/trust.ts';
import { Vault } from './resources/vault.ts';
import { Webhooks } from './resources/webhooks.ts';
import type { Credential } from './types.ts';

export interface AgoraOptions {
  /** Address of the server without `/api/v1`, for example `http://127.0.0.1:4000`. */
  baseUrl: string;
  /** Session token or developer token (`ac_dev_…`), sent on owner operations as `Authorization: Bearer`. */
  ownerToken?: string;
  /** Agent API key (`ac_live_…`), sent on agent operations as `X-API-Key`. */
  agentKey?: string;
  /** Trust key (`tst_…`), sent as `X-Trust-API-Key`. */
  trustKey?: string;
  /** Token of the platform's operator, sent on operations of the operator as `Authorization: Bearer`. */
  operatorToken?: string;
  /**
   * How long a call is repeated that the network or the server fails (5xx, no reply), in milliseconds from its beginning.
   * Default 60000: a restart of the server or a failover of its database takes less.
   */
  retryForMs?: number;
  /**
   * Most retries after the first attempt, for 429, 5xx and network errors; they end earlier with `retryForMs`. Default: two
   * where the server itself fails, as many as fit into `retryForMs` where it does not answer or names a pause.
   */
  maxRetries?: number;
  /**
   * Longest pause before a retry in milliseconds. Where the server names a longer one (429), the error is thrown at once
   * and says how long it is. Default 60000.
   */
  longestWaitMs?: number;
  /** Time limit of one attempt in milliseconds. Default 30000. Calls that wait by design add their own time. */
  timeoutMs?: number;
  /** Used instead of the global fetch, with the time limits that it has of its own: Node's waits five minutes for a reply. */
  fetch?: typeof fetch;
  /** Whether changing calls send an Idempotency-Key. Without one they are retried only after 429. Default true. */
  idempotencyKeys?: boolean;
}

/** A client of one Agora server. Each property is a district; each method is one operation of the contract. */
export class Agora {
  readonly system: System;
  readonly auth: Auth;
  readonly agents: Agents;
  readonly vault: Vault;
  readonly tasks: Tasks;
  readonly templates: Templates;
  readonly schedules: Schedules;
  readonly sandbox: Sandboxes;
  readonly artifacts: Artifacts;
  readonly courts: Courts;
  readonly trust: Trust;
  readonly embassy: Embassy;
  /** @deprecated It ends with the server's sunset date; submit tasks instead. */
  readonly exchange: Exchange;
  readonly webhooks: Webhooks;
  readonly ownerWebhooks: OwnerWebhooks;
  readonly github: GitHub;
  readonly packageRegistries: PackageRegistries;
  readonly operator: Operator;
  readonly #options: AgoraOptions;

  /** Throws TypeError if `baseUrl` is not a URL. Sends nothing. */
  constructor(options: AgoraOptions) {
    this.#options = options;
    const http = new Http({
      baseUrl: options.baseUrl,
      credentials: {
        ...(options.ownerToken && { owner: options.ownerToken }),
        ...(options.agentKey && { agent: options.agentKey }),
        ...(options.trustKey && { trust: options.trustKey }),
        ...(options.operatorToken && { operator: options.operatorToken }),
      },
      retryForMs: options.retryForMs ?? 60_000,
      maxRetries: options.maxRetries ?? Number.POSITIVE_INFINITY,
      longestWaitMs: options.longestWaitMs ?? 60_000,
      timeoutMs: options.timeoutMs ?? 30_000,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      patientFetch: options.fetch ?? patientFetch,
      idempotencyKeys: options.idempotencyKeys ?? true,
    });
    this.system = new System(http);
    this.auth = new Auth(http);
    this.agents = new Agents(http);
    this.vault = new Vault(http);
    this.tasks = new Tasks(http);
    this.templates = new Templates(http);
    this.schedules = new Schedules(http);
    this.sandbox = new Sandboxes(http);
    this.artifacts = new Artifacts(http);
    this.courts = new Courts(http);
    this.trust = new Trust(http);
    this.embassy = new Embassy(http);
    this.exchange = new Exchange(http);
    this.webhooks = new Webhooks(http);
    this.ownerWebhooks = new OwnerWebhooks(http);
    this.github = new GitHub(http);
    this.packageRegistries = new PackageRegistries(http);
    this.operator = new Operator(http);
  }

  /** The credentials that the client has. */
  get credentials(): ReadonlySet<Credential> {
    const { ownerToken, agentKey, trustKey, operatorToken } = this.#options;
    const given = { owner: ownerToken, agent: agentKey, trust: trustKey, operator: operatorToken };
    return new Set((Object.keys(given) as Credential[]).filter((name) => given[name]));
  }

  /** Whether the client has an agent key. */
  get hasAgentKey(): boolean {
    return Boolean(this.#options.agentKey);
  }

  /** The same client with some options replaced, for example with the token of a new session. */
  withOptions(options: Partial<AgoraOptions>): Agora {
    return new Agora({ ...this.#options, ...options });
  }
}
