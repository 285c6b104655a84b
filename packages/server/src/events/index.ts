export { appendEvent, type NewEvent } from './append.ts';
