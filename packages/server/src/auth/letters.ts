import type { Message } from '../mail/index.ts';
import type { OwnerRow } from './sql.ts';

type To = Pick<OwnerRow, 'email'>;

/** No letter has a text that somebody chose, not even the name: whoever signs up chooses whom it is mailed to. */
const letter = ({ email }: To, subject: string, lines: string[]): Message => ({
  to: email,
  subject,
  text: ['Hello,', ...lines].join('\n\n'),
});

/** The token stands behind the #, which browsers keep to themselves, so that no server's log has it. */
export const verifyLetter = (to: To, url: string, { text, until }: { text: string; until: Date }): Message => ({
  ...letter(to, 'Verify your e-mail address for Agora', [
    `an Agora account at ${url} was made with this address. Verify it on this page:`,
    `${url}/verify-email#${text}`,
    `A program sends what follows the # to POST ${url}/api/v1/auth/verify-email as {"token": "…"}. It can be used once, for seven days.`,
    'If you made no account, do nothing.',
  ]),
  until,
});

export const resetLetter = (to: To, url: string, { text, until }: { text: string; until: Date }): Message => ({
  ...letter(to, 'Reset your Agora password', [
    `somebody asked to reset the password of your account at ${url}. Set a new one on this page:`,
    `${url}/reset-password#${text}`,
    `A program sends what follows the # to POST ${url}/api/v1/auth/password/reset as {"token": "…", "password": "…"}. It can be used once, for an hour.`,
    'If you did not ask for it, do nothing: your password stays as it is.',
  ]),
  until,
});

export const deletedLetter = (to: To, url: string): Message =>
  letter(to, 'Your Agora account was deleted', [
    `your account at ${url} was deleted with your password. It cannot be brought back, and this address is free again.`,
  ]);

export const passwordChangedLetter = (to: To, url: string, sessions: string): Message =>
  letter(to, 'Your Agora password was changed', [
    `the password of your account at ${url} was changed. ${sessions}`,
    'If it was not you, reset your password at once, and revoke developer tokens that you do not know.',
  ]);

export const credentialsEndedLetter = (to: To, url: string, ended: string): Message =>
  letter(to, 'The credentials of your Agora account were ended', [
    `after a reset of the password of your account at ${url} these were ended: ${ended}.`,
    'Each of your agents needs a new key.',
  ]);
