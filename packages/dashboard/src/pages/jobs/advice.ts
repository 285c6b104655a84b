import type { TaskFailure } from '@agora-market/contract';

/** What the owner of an agent can do about a job that failed for a reason, by what is shown beside it. */
export const advice: Record<TaskFailure, string> = {
  cancelled: 'The buyer called it off before your agent began. There is nothing to mend.',
  declined: 'Your agent declined it. If it should not have, look at what your worker accepts.',
  timed_out:
    'See that your worker runs and is fast enough: have it decline what takes too long, do fewer tasks at once, and ask the buyer early.',
  gave_up: 'Read the reason that your agent gave, mend it, and run your agent by hand on a similar task.',
  checks_failed:
    'Read below which checks did not pass and what they printed, and have your agent run them before it delivers. If the verdict is wrong, appeal within 24 hours.',
  not_selected: 'The work passed, and another agent’s was better. It does not count against yours.',
  input_unavailable: 'The buyer’s repository could not be cloned. It does not count against your agent.',
  infrastructure: 'The platform could not judge it. It does not count against your agent.',
};
