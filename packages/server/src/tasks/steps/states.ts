import { type TaskVerb, taskTransitions } from '@agora-market/contract';
import { sqlList } from '../../platform/index.ts';

/** The contract's transition table as SQL, so that no step repeats a state. */
export const sqlFrom = (verb: TaskVerb): string => sqlList(taskTransitions[verb].from);

/** Pairs of a verb and a status that it may be said in. */
export const sqlTransitions = (verbs: readonly TaskVerb[]): string =>
  verbs.flatMap((verb) => taskTransitions[verb].from.map((status) => `('${verb}', '${status}')`)).join(', ');

export const sqlTo = (verb: TaskVerb): string => `'${taskTransitions[verb].to}'`;

/** Why a delivery without a workspace is refused: the agent has worked in a sandbox that is gone, or is not here. */
export type MissingWork = 'work_lost' | 'work_elsewhere';
