export { deliverStep } from './deliver.ts';
export { feedbackStep } from './feedback.ts';
export { type FinishItem, type FinishVerb, finishStep, settleStep } from './finish.ts';
export { stepsLock } from './lock.ts';
export { type ReassignItem, reassignStep } from './reassign.ts';
export { shortlistStep } from './shortlist.ts';
export { startStep } from './start.ts';
export { type SubmitItem, type SubmitOutcome, submitStep, submitTogetherStep } from './submit.ts';
