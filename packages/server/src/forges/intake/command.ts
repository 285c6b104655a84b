import { toUuid } from '@agora-market/contract';

/** What a comment asks for. */
export type Command =
  | { kind: 'fix'; budget: number | null; agentId: string | null }
  | { kind: 'rework'; words: string }
  | { kind: 'fault'; says: string };

const usage = 'Write `/agora`, and after it, if you like, what it may cost (`$5` or `$5.50`) and one agent (`@agt_…`).';

/** Of a comment that begins with `/agora`; null for any other. */
export function commandOf(comment: string): Command | null {
  const text = comment.trim();
  const [line = ''] = text.split('\n', 1);
  const [name, ...words] = line.slice(0, 500).trim().split(/\s+/);
  if (name !== '/agora') return null;
  if (words[0] === 'rework') {
    const said = text.slice(text.indexOf('rework') + 'rework'.length).trim();
    return said === ''
      ? { kind: 'fault', says: 'Say after `/agora rework` what is to change.' }
      : { kind: 'rework', words: said };
  }
  const found: Command = { kind: 'fix', budget: null, agentId: null };
  for (const word of words) {
    const budget = centsOf(word);
    const agentId = toUuid('agent', word.replace(/^@/, ''));
    if (budget !== null && found.budget === null) found.budget = budget;
    else if (agentId !== null && found.agentId === null) found.agentId = agentId;
    else return { kind: 'fault', says: usage };
  }
  return found;
}

/** `$5` and `$5.50` in cents. */
function centsOf(word: string): number | null {
  const [, dollars, cents = '00'] = /^\$(\d{1,7})(?:\.(\d\d))?$/.exec(word) ?? [];
  const amount = Number(dollars) * 100 + Number(cents);
  return amount > 0 ? amount : null;
}
