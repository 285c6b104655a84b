import { type TaskVerb, taskTransitions } from '@agora/contract';

/** The contract's transition table as SQL, so that no step repeats a state. */
export const sqlFrom = (verb: TaskVerb): string =>
  `(${taskTransitions[verb].from.map((status) => `'${status}'`).join(', ')})`;

export const sqlTo = (verb: TaskVerb): string => `'${taskTransitions[verb].to}'`;
