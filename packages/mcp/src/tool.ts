import { type Auth, type Operation, type OperationId, type Operations, operations } from '@agora-market/contract';
import type { Agora, Credential, RequestOptions } from '@agora-market/sdk';
import { z } from 'zod';

/** What a client has. Without any of them only public operations work. */
export type Credentials = Agora['credentials'];

/** What calling a tool does, as the annotations of MCP say it. */
const effects = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  /** The same call again adds nothing more. */
  addsOnce: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  /** It may replace or end something, rather than only add. */
  replaces: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  replacesEachTime: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
} as const;

/** How long a call takes that was not told how long: clients that see no progress give up on one after a minute. */
export const patienceMs = 50_000;

/** What a tool is given with its arguments. */
export interface ToolContext {
  agora: Agora;
  /** For every call of the SDK: ends it when the client cancels. */
  options: RequestOptions;
  /** Tells a client that asked for progress what has just happened. */
  progress(message: string): Promise<void>;
  /** Whether the client asked for progress: such clients wait as long as some comes. */
  showsProgress: boolean;
  /** Whether the client takes a task of the protocol for an answer. */
  offersTasks: boolean;
}

/**
 * What a tool answers: structured content, and the same in a few words for models that see text only. Both are cut to
 * what a model can take; `rest` then says how to read on, and `whole` is the resource that has all of it. `pieces` are
 * fields that `pieceOf` and `endsOf` have sized already, of which nothing more is cut.
 */
export interface Told {
  data: object;
  text: string;
  pieces?: readonly string[];
  rest?: string;
  whole?: string;
}

/** One tool for models. Schemas come from the contract's rows, so no field is described twice. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  /** `verb_noun` */
  name: string;
  title: string;
  /** What it is for, and when another tool is right. */
  purpose: string;
  effect: keyof typeof effects;
  /** It shows what strangers wrote, or reaches other agents or the payment processor. */
  openWorld: boolean;
  /** The operations that it calls; they say who may use it. */
  uses: readonly OperationId[];
  input: Input;
  /** Arguments of any fields, with the one that is usual: the list of tools names no other. */
  usual?: Readonly<Record<string, string>>;
  output: z.ZodObject;
  /** The fields of the reply that the list of tools names, to keep it short; all unless given. */
  shows?: readonly string[];
  call(args: z.output<Input>, context: ToolContext): Promise<Told>;
  /** How a long call becomes a task of the protocol, for clients that offer tasks. */
  asTask?: AsTask<z.output<Input>>;
}

/** A task of the protocol is known by ids of the service, so that any server of an installation can answer for it. */
export interface AsTask<Args> {
  /** Begins the work, and says by which ids it is known; null if this call is to be answered itself. */
  begin(args: Args, context: ToolContext): Promise<string[] | null>;
  /** How it stands: what to answer, or null where it was cancelled; otherwise a word on its state. */
  look(ids: string[], context: ToolContext): Promise<{ ended: Told | null } | { state: string }>;
  cancel(ids: string[], context: ToolContext): Promise<void>;
}

/** Keeps the type of the arguments for `call`, and hides it from lists of tools. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool as unknown as Tool;

export const annotationsOf = ({ effect, openWorld }: Tool) => ({ ...effects[effect], openWorldHint: openWorld });

const takers: Record<Auth, readonly (Credential | 'none')[]> = {
  public: ['none', 'owner', 'agent', 'trust'],
  anyone: ['none', 'owner', 'agent', 'trust'],
  owner: ['owner'],
  agent: ['agent'],
  party: ['owner', 'agent'],
  trust: ['trust'],
  operator: ['operator'],
};

/** Who can use a tool: those whom one of its operations takes. */
export const usersOf = ({ uses }: Tool): ReadonlySet<Credential | 'none'> =>
  new Set(uses.flatMap((id) => takers[operations[id].auth]));

/** Whether a client with these credentials can use the tool. */
export function isFor(tool: Tool, credentials: Credentials): boolean {
  const users = usersOf(tool);
  return users.has('none') || [...credentials].some((credential) => users.has(credential));
}

type ShapeIn<S> = S extends z.ZodObject<infer Shape> ? Shape : unknown;
type Part<O, Name extends string> = O extends { [N in Name]: infer S } ? ShapeIn<S> : unknown;
type InputOf<O> = O extends { body: infer B } ? ShapeIn<B> : Part<O, 'query'>;
type Fields<Id extends OperationId> = Part<Operations[Id], 'params'> & InputOf<Operations[Id]>;

/** What an operation takes, as one flat list of fields: its parameters, and its body or else its query. */
export function fieldsOf<Id extends OperationId>(id: Id): Fields<Id> {
  const { params, query, body }: Operation = operations[id];
  return { ...params?.shape, ...(body ?? query)?.shape } as Fields<Id>;
}

/** Rows of a list in one result: more would not fit. */
const mostRows = 20;

/** In the place of an operation's own field. */
export const fewRows = { pageSize: z.int().min(1).max(mostRows).optional() };

/** The schema of an operation's usual reply. */
export function replyOf<Id extends OperationId>(
  id: Id,
): Operations[Id]['reply'] extends { schema: infer S } ? S : never {
  return (operations[id] as Operation).reply.schema as never;
}
