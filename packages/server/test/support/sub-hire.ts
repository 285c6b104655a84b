import type { Agora, Body, Reply } from '@agora-market/sdk';

type Submitted = Exclude<Reply<'tasks.submitAsAgent'>, { approval: unknown }>;

/** A submission by an agent whose owner asks for no approvals. */
export async function subHire({ tasks }: Agora, body: Body<'tasks.submitAsAgent'>): Promise<Submitted> {
  const reply = await tasks.submitAsAgent(body);
  if ('approval' in reply) throw new Error('the submission waits for an approval');
  return reply;
}
