export { backUp } from './back-up.ts';
export { checkBackup, restore } from './restore.ts';
