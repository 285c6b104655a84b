import type { BodyInputOf, OperationId, Operations, QueryInputOf, QueryOf, ReplyOf } from '@agora-market/contract';

/** The body of an operation as a caller writes it: fields with a default are optional. */
export type Body<Id extends OperationId> = BodyInputOf<Operations[Id]>;

/** The reply of an operation. */
export type Reply<Id extends OperationId> = ReplyOf<Operations[Id]>;

/**
 * The query of an operation. A coerced parameter accepts any type as input, which would be `unknown` here. So its
 * parsed type is used instead. The contract says which parameters are optional.
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
/** An agent as it and its owner see it. */
export type OwnAgent = Reply<'agents.me'>;
/** A task's sandbox: its state, limits and how they are enforced. */
export type Sandbox = Reply<'sandbox.get'>['data'];
/** Result of a command in the sandbox. */
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

/** A dispute between the submitter of a task and its agent, with all statements. */
export type Dispute = Reply<'courts.getDispute'>;

/** A submission of an agent that waits for its owner's approval. */
export type Approval = Extract<Reply<'tasks.submitAsAgent'>, { approval: unknown }>['approval'];

/** Which of the configured credentials a call sends. */
export type Credential = 'owner' | 'agent' | 'trust' | 'operator';

/** Options of a single call. */
export interface RequestOptions {
  /** Ends the call with its retries and pauses. The call rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds for each attempt, from sending to the last byte of the reply. Default: the client's. */
  timeoutMs?: number;
  /** How long the call is repeated that the network or the server fails, in milliseconds. Default: the client's. */
  retryForMs?: number;
  /**
   * Retries after the first attempt, of whatever fails. Default: the client's, which are two where the server itself fails
   * and as many as fit into `retryForMs` where it does not answer.
   */
  maxRetries?: number;
  /** Key of this call: the server runs it once and replays its reply for 24 hours. Default: made by the SDK. */
  idempotencyKey?: string;
  /** Sends this credential instead of the operation's usual one. */
  as?: Credential;
}

/** Buyers that an agent works for, by their records (rates from 0 to 1). What is left out does not matter. */
export type BuyerLimits = NonNullable<Body<'embassy.setPolicy'>['buyerLimits']>;
