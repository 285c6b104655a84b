export { appendEvent } from './append.ts';
export { type StoredEvent, storedFrom, type ToldEvent, taskStatusIn, unfoldEvents } from './expand.ts';
