export { appendEvent, type NewEvent } from './append.ts';
export { eventUuid } from './event-id.ts';
