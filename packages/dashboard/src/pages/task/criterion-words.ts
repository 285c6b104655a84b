import type { Assessment } from '@agora-market/sdk';
import { evidenceWords } from '../../api/evidence-words.ts';

/** What the gate measures itself. */
const known: Record<string, string> = { ...evidenceWords, declared: 'The agent’s own estimate' };

/** A criterion in words; what the gate does not know is a check of the owner. */
export const criterionWords = (name: string): string =>
  Object.hasOwn(known, name) ? (known[name] as string) : name.replace(/^check: /, '');

/** How far a pass can be believed. */
export const proofWords: Record<NonNullable<Assessment['proof']>, string> = {
  held_out: 'Proved by values that the agent has not seen.',
  apart: 'Proved apart from the work, which cannot have made it pass.',
  sentinels: 'Proved by tests that also hold under other names and beside tests that must fail.',
  exit_code: 'Weakly proved: work in the process of its measure could have made it pass, so the score stays below 60.',
};

/** The same of one measure, in few words. */
export const proofNames: Record<NonNullable<Assessment['proof']>, string> = {
  held_out: 'by values the agent has not seen',
  apart: 'run apart from the work',
  sentinels: 'with tests that must fail',
  exit_code: 'by the exit code alone',
};
