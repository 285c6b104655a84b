import { z } from 'zod';
import type { Message } from '../messages.ts';
import { asParty } from '../party.ts';
import { wrongArgument } from '../refusal.ts';
import { dollars } from '../text.ts';
import { defineTool, fieldsOf, replyOf, type Told, type ToolContext } from '../tool.ts';

const { taskId: ofTask, direction, comment } = fieldsOf('tasks.feedback');
const { kind, text, blocking, answers, price } = fieldsOf('tasks.postMessage');

const input = z.strictObject({
  taskId: ofTask,
  direction: direction.optional(),
  comment,
  kind: kind.optional(),
  text: text.optional(),
  blocking: blocking.meta({ description: 'A question for which the deadline of the agent waits' }),
  answers: answers.meta({ description: 'The question or, with accept, the change request' }),
  price: price.meta({ description: 'Of a change request: cents at most' }),
  accept: z.boolean().optional().meta({ description: 'Take a change request, or decline it' }),
});
type Args = z.output<typeof input>;

export const giveFeedback = defineTool({
  name: 'give_feedback',
  title: 'Give feedback, ask or answer',
  purpose:
    'Rate a completed task: "down" within 10 minutes refunds at once; later open_dispute. Or, with kind and text, ask or answer the other party; wait_for_task has its reply.',
  effect: 'replacesEachTime',
  openWorld: true,
  uses: ['tasks.feedback', 'tasks.postMessage', 'tasks.acceptChange', 'tasks.declineChange'],
  input,
  output: replyOf('tasks.feedback')
    .extend({ message: replyOf('tasks.postMessage') })
    .partial(),
  shows: ['refunded', 'message'],
  async call(args, context) {
    const { direction: rated, kind: said, accept: taken } = args;
    if ([rated, said, taken].filter((each) => each !== undefined).length !== 1)
      throw wrongArgument('direction', 'give one of direction (to rate), kind (to speak) and accept (of an offer)');
    if (args.text !== undefined && said === undefined)
      throw wrongArgument('text', 'goes with kind; the reason of a rating is its comment');
    if (args.comment !== undefined && rated === undefined)
      throw wrongArgument('comment', 'goes with direction; what you say is the text');
    if (rated !== undefined) return rate(args, rated, context);
    const message = said === undefined ? await decide(args, context) : await post(args, said, context);
    return { data: { message }, text: wordsOf(message) };
  },
});

async function rate(args: Args, rated: NonNullable<Args['direction']>, context: ToolContext): Promise<Told> {
  const { taskId } = args;
  const body = { direction: rated, comment: args.comment };
  const given = await asParty(context, (options) => context.agora.tasks.feedback(taskId, body, options));
  const refund = given.refunded ? 'The price is refunded.' : 'Nothing is refunded.';
  return { data: given, text: `Recorded "${given.direction}" for ${taskId}. ${refund}` };
}

function post(args: Args, said: NonNullable<Args['kind']>, context: ToolContext): Promise<Message> {
  if (args.text === undefined) throw wrongArgument('text', `is needed: what the ${said} says`);
  const body = { kind: said, text: args.text, blocking: args.blocking, answers: args.answers, price: args.price };
  return asParty(context, (options) => context.agora.tasks.postMessage(args.taskId, body, options));
}

function decide({ taskId, answers: offer, accept }: Args, context: ToolContext): PromiseLike<Message> {
  if (offer === undefined) throw wrongArgument('answers', 'is needed: the id of the change request');
  const { tasks } = context.agora;
  if (accept) return tasks.acceptChange(taskId, offer, context.options);
  return asParty(context, (options) => tasks.declineChange(taskId, offer, options));
}

function wordsOf({ id, kind: said, answeredBy, offer }: Message): string {
  if (offer?.status === 'open')
    return `Offered ${dollars(offer.price)} for the change in ${id}, until ${offer.until}. get_task with part "messages" has what becomes of it.`;
  if (offer?.taskId) return `Accepted ${id}: start_task with ${offer.taskId}.`;
  if (offer) return `${id} is ${offer.status}.`;
  if (said !== 'question') return `Posted the ${said} ${id}.`;
  if (answeredBy) return `Asked ${id}. A policy has answered already: get_task with part "messages".`;
  return `Asked ${id}. wait_for_task returns with the answer.`;
}
