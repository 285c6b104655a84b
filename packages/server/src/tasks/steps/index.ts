export { deliverStep } from './deliver.ts';
export { feedbackStep } from './feedback.ts';
export { type FinishVerb, finishStep } from './finish.ts';
export { type ReassignItem, reassignStep } from './reassign.ts';
export { startStep } from './start.ts';
export { type SubmitItem, type SubmitOutcome, submitStep } from './submit.ts';
