import type { ItemOf } from '@agora-market/sdk';

const deeds = { question: 'asked', answer: 'answered', note: 'wrote', change_request: 'asked for a change' } as const;

/** What an owner reads above a message: `You answered`. */
export function whoDid(agent: string, { author, kind }: Pick<ItemOf<'tasks.listMessages'>, 'author' | 'kind'>): string {
  if (author === 'policy') return 'Your default answer';
  return `${author === 'submitter' ? 'You' : agent} ${deeds[kind]}`;
}
