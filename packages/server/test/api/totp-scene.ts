import { Secret, TOTP } from 'otpauth';
import type { TestOwner, TestServer } from '../support/harness.ts';

export const password = 'correct horse';

/** What the authenticator app shows, some steps of 30 s from now. */
export const codeOf = ({ clock }: Pick<TestServer, 'clock'>, secret: string, steps = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: clock.now().getTime() + steps * 30_000 });

/** A code that is none of the secret's about now. */
export function wrongCode(server: Pick<TestServer, 'clock'>, secret: string): string {
  const right = [-2, -1, 0, 1, 2].map((steps) => codeOf(server, secret, steps));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) as string;
}

/** Turns the second factor of an owner on. The code of now is used then. */
export async function enableTotp(server: Pick<TestServer, 'clock'>, { agora }: Pick<TestOwner, 'agora'>) {
  const { secret, uri } = await agora.auth.beginTotp({ password });
  const { recoveryCodes } = await agora.auth.confirmTotp({ code: codeOf(server, secret) });
  return { secret, uri, recoveryCodes };
}
