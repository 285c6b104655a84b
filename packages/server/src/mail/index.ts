export { type CaughtMail, caughtMail } from './caught.ts';
export { createMail, type Mail, tryMail } from './mail.ts';
export type { Message } from './message.ts';
