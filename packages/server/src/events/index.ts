export { appendEvent, appendEvents, type NewEvent } from './append.ts';
export { ownerEvents } from './audit.ts';
export { forgetNames } from './erase.ts';
export { expandEvents, type StoredEvent, storedFrom, type ToldEvent, taskStatusIn } from './expand.ts';
export { findEvent, type LoggedRow, storedColumns } from './logged-event.ts';
export { readOutbox, unread } from './outbox.ts';
export { holdReader, placeOf, replay } from './replay.ts';
