export { appendEvent } from './append.ts';
export { eventUuid } from './event-id.ts';
