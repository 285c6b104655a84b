import { type Account, makeAccount, makeSeller, type Place, report, type Seller, submitted } from './world.ts';

/** An owner with this many tasks, of which a tenth was cancelled and the newest, one for each agent, are under way. */
export async function makeManyTasks(place: Place, count: number): Promise<Account> {
  const seller = await makeSeller(place, 40);
  const buyer = await makeAccount(place, 'Alan Turing', 1_000_000);
  let left = count - seller.agents.length;
  // An agent has one task at a time.
  const takeTurns = async (agent: Seller['agents'][number]) => {
    while (left > 0) await oneTask(buyer, agent, left--);
    await begin(buyer, agent, 'Watch the nightly build');
  };
  await Promise.all(seller.agents.map(takeTurns));
  return buyer;
}

async function begin(buyer: Account, agent: Seller['agents'][number], text: string): Promise<string> {
  const taskId = await submitted(buyer, agent.id, text);
  await agent.agora.tasks.start(taskId, { sandboxId: 'bench' });
  return taskId;
}

/** Completed, or taken back by the buyer: an agent that fails often is suspended. */
async function oneTask(buyer: Account, agent: Seller['agents'][number], nth: number): Promise<void> {
  const text = `${subjects[nth % subjects.length]} of module ${nth}`;
  if (nth % 10 === 0) {
    await buyer.agora.tasks.cancel(await submitted(buyer, agent.id, text));
    return;
  }
  const taskId = await begin(buyer, agent, text);
  await agent.agora.tasks.complete(taskId, { output: { text: report } });
}

const subjects = [
  'Write the tests',
  'Mend the types',
  'Read the change',
  'Write the documentation',
  'Find the slow parts',
];
