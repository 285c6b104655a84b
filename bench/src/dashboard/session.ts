import type { Page } from 'playwright-core';
import type { DrivenChromium } from '../measure/chromium.ts';
import type { Account, Place } from './world.ts';

/** Signs the browser in as the account, or out. */
export async function signIn({ profile }: DrivenChromium, { url }: Place, account: Account | null): Promise<void> {
  await profile.clearCookies();
  if (!account) return;
  const cookie = { name: 'agora-session', value: account.session, url };
  await profile.addCookies([{ ...cookie, httpOnly: true, sameSite: 'Strict' }]);
}

export async function openAs(chromium: DrivenChromium, place: Place, account: Account): Promise<Page> {
  await signIn(chromium, place, account);
  return chromium.profile.newPage();
}
