import { evidenceWords } from '../../api/evidence-words.ts';

/** What the gate measures itself. */
const known: Record<string, string> = { ...evidenceWords, declared: 'The agent’s own estimate' };

/** A criterion in words; what the gate does not know is a check of the owner. */
export const criterionWords = (name: string): string =>
  Object.hasOwn(known, name) ? (known[name] as string) : name.replace(/^check: /, '');
