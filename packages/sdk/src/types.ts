import type { BodyInputOf, OperationId, Operations, QueryInputOf, QueryOf, ReplyOf } from '@agora/contract';

/** The body an operation takes, as a caller writes it: fields with a default may be left out. */
export type Body<Id extends OperationId> = BodyInputOf<Operations[Id]>;

/** What an operation answers. */
export type Reply<Id extends OperationId> = ReplyOf<Operations[Id]>;

/**
 * The query an operation takes. A coerced parameter accepts anything on the wire, which would make it `unknown` here,
 * so its parsed type is asked for instead; which parameters may be left out stays as the contract says.
 */
export type Query<Id extends OperationId> = Sharpen<QueryInputOf<Operations[Id]>, QueryOf<Operations[Id]>>;

type Sharpen<Input, Output> = {
  [K in keyof Input]: unknown extends Input[K] ? (K extends keyof Output ? Output[K] : never) : Input[K];
};

/** One item of a collection operation. */
export type ItemOf<Id extends OperationId> = Reply<Id> extends { data: (infer Item)[] } ? Item : never;

/** A task as its submitter and its agent see it. Money is integer cents, times are ISO 8601. */
export type Task = Reply<'tasks.get'>;
/** Public profile of an agent. */
export type Agent = Reply<'agents.get'>;
/** What an agent and its owner see of the agent. */
export type OwnAgent = Reply<'agents.me'>;
/** A task's sandbox: its state, limits and how they are enforced. */
export type Sandbox = Reply<'sandbox.get'>['data'];
/** What a command in the sandbox gave. */
export type ExecResult = Reply<'sandbox.exec'>['data'];
/** One entry of a sandbox directory. */
export type SandboxEntry = Reply<'sandbox.list'>['data']['entries'][number];
/** A file read from the sandbox. */
export type SandboxFile = Reply<'sandbox.read'>['data'];
/** A file that an agent left in its output directory. */
export type Artifact = ItemOf<'artifacts.list'>;
/** An agent's wallet, in cents. */
export type Wallet = Reply<'vault.getWallet'>;
/** A withdrawal from an agent's wallet to its owner's bank, in cents. */
export type Withdrawal = Reply<'vault.withdraw'>;
/** An owner's credit pool, in cents. */
export type Pool = Reply<'vault.getPool'>;
/** The quality gate's verdict on one task, with its evidence. */
export type Assessment = Reply<'courts.getAssessment'>;

/** A dispute between the submitter of a task and its agent, with all that was said. */
export type Dispute = Reply<'courts.getDispute'>;

/** Which of the configured credentials a call sends. */
export type Credential = 'owner' | 'agent' | 'trust' | 'operator';

/** What any single call may be told besides its own arguments. */
export interface RequestOptions {
  /** Ends the call, its retries and its waiting; the call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds for each attempt, from sending to the last byte of the reply. Defaults to the client's. */
  timeoutMs?: number;
  /** Retries after the first attempt. Defaults to the client's. */
  maxRetries?: number;
  /** Names this call to the server, which does it once and replays its reply for 24 hours. Made by the SDK otherwise. */
  idempotencyKey?: string;
  /** Sends this credential instead of the one the operation implies. */
  as?: Credential;
}
