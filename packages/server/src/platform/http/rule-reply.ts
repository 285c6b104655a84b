import type { Operation, ReplyOf } from '@agora-market/contract';
import type { z } from 'zod';

/** The reply of a rule with a status other than the usual one, or with headers of its own. */
export class RuleReply<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers: Record<string, string>;

  constructor(status: Status, body: Body, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

type BodyOfReply<R> = R extends { schema: infer S extends z.ZodType } ? z.output<S> : undefined;

/** One `RuleReply` for each reply of the row; a 304 is the server's to give. */
type OneOf<R> = R extends { status: infer S extends 200 | 201 | 202 | 204 } ? RuleReply<S, BodyOfReply<R>> : never;

type OthersOf<O extends Operation> = O['otherReplies'] extends readonly (infer R)[] ? OneOf<R> : never;

/** What a rule may return: the body of the usual reply, or a `RuleReply` for another reply of the row. */
export type Result<O extends Operation> =
  | (ReplyOf<O> extends undefined ? unknown : BodyOfReply<O['reply']>)
  | OneOf<O['reply']>
  | OthersOf<O>;
