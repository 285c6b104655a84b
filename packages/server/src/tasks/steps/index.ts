export { deliverStep } from './deliver.ts';
export { feedbackStep } from './feedback.ts';
export { type FinishVerb, finishStep } from './finish.ts';
export { startStep } from './start.ts';
export { type SubmitItem, submitStep } from './submit.ts';
