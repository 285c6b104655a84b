export { appendEvent } from './append.ts';
export { type StoredEvent, storedFrom, type ToldEvent, unfoldEvents } from './unfold.ts';
