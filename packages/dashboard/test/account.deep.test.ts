import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { savedText } from './support/saved-text.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { signUp } from './support/sign-up.ts';

/** Owners keep their accounts by the pages: signing in and out, two factors, mailed links, sessions, the end. */

const scene = sceneForFile();

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The link in the newest mail to an owner, as development keeps it. */
async function linkMailedTo(token: string, path: string): Promise<string> {
  const agora = scene.server.client({ ownerToken: token });
  const pattern = new RegExp(`\\S+/${path}#\\S+`);
  let link: string | undefined;
  await expect
    .poll(async () => {
      const { mails } = await agora.auth.caughtMail();
      link = mails.map(({ text }) => pattern.exec(text)?.[0]).find(Boolean);
      return link;
    })
    .toBeDefined();
  // The server of tests does not know its own port when it writes.
  const { pathname, hash } = new URL(link!);
  return pathname + hash;
}

describe('signing in', () => {
  test('a page of an owner asks a visitor to sign in, and comes then', async () => {
    const owner = await scene.server.owner({ credits: 0 });
    const page = await scene.openPage({ path: '/vault?tab=transactions' });
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await shot(page, 'sign-in');
    await signIn(page, owner.email, 'wrong horse');
    await page.getByText('E-mail or password is wrong.').waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(owner.email);
    await signIn(page, owner.email, 'correct horse');
    await page.getByRole('heading', { level: 1, name: 'Vault' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=transactions');
    await signOut(page);
    await page.goto('vault');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  test.each(['//evil.example/', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)'])(
    'does not lead to %s',
    async (to) => {
      const owner = await scene.server.owner({ credits: 0 });
      const page = await scene.openPage({ path: `/sign-in?to=${encodeURIComponent(to)}` });
      await signIn(page, owner.email, 'correct horse');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      expect(new URL(page.url()).origin).toBe(scene.server.url);
    },
  );
});

test('a sign-up whose challenge does not come says so, and how to go on', async () => {
  const page = await scene.openPage({ path: '/sign-in' });
  const fault = { status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'no', details: {} } } };
  await page.route('**/auth/captcha', (route) => route.fulfill(fault));
  // As a server sends the page that challenges its visitors.
  await page.route('**/sign-up', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace('<html', '<html data-captcha') });
  });
  await page.goto('sign-up');
  await page.getByText('The check that you are a person could not be loaded. Reload the page.').waitFor();
});

test('a second factor is set up, asked for, replaced by a recovery code, and turned off', async () => {
  const page = await scene.openPage();
  const { email, password } = await signUp(page);
  await page.goto('settings?tab=security');
  await page.getByRole('button', { name: 'Set up' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  const secret = ((await dialog.locator('code').first().textContent()) ?? '').replaceAll(/\s/g, '');
  const code = () => new TOTP({ secret }).generate({ timestamp: scene.server.clock.now().getTime() });
  await shot(page, 'two-factor');
  await axe(page);
  await dialog.getByLabel('Code that the app shows').fill(code());
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const codes = page.getByRole('list', { name: 'Recovery codes' });
  await codes.waitFor();
  const recovery = await codes.locator('li').first().textContent();
  await page.getByLabel('I have kept them where I find them without my phone.').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();

  await signOut(page);
  await page.goto('sign-in');
  await signIn(page, email, password);
  await page.getByLabel('Code of your authenticator app').fill('000000');
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('That code is wrong, used or too old.').waitFor();
  scene.server.clock.advance(31_000);
  await page.getByLabel('Code of your authenticator app').fill(code());
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

  await signOut(page);
  await page.goto('sign-in');
  await signIn(page, email, password);
  await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
  await page.getByLabel('Recovery code', { exact: true }).fill(recovery!);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

describe('mailed links', () => {
  test('verify the address, and leave no token in the address bar', async () => {
    const page = await scene.openPage();
    const { email, password } = await signUp(page);
    const { token } = await scene.server.client().auth.signIn({ email, password });
    await page.goto(await linkMailedTo(token, 'verify-email'));
    await page
      .getByText(/is verified/)
      .first()
      .waitFor();
    expect(page.url()).not.toContain('#');
    await page.goto('settings');
    await page.getByText('Verified', { exact: true }).waitFor();
  });

  test('reset a forgotten password once', async () => {
    const page = await scene.openPage();
    const { email, password } = await signUp(page);
    const { token } = await scene.server.client().auth.signIn({ email, password });
    await signOut(page);
    await page.goto('sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: /Mail me/ }).click();
    await page.getByRole('status').first().waitFor();
    const link = await linkMailedTo(token, 'reset-password');
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'Set a new password' }).waitFor();
    expect(page.url()).not.toContain('#');
    await page.getByLabel('New password').fill('another horse battery');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your password is changed').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).last().click();
    await signIn(page, email, 'another horse battery');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByLabel('New password').fill('a third horse battery');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('This link does not count any more').waitFor();
  });

  test('see with a new password what goes on, and end it', async () => {
    const owner = await scene.server.owner({ credits: 0 });
    const visitor = scene.server.client();
    const verify = await linkMailedTo(owner.token, 'verify-email');
    await visitor.auth.verifyEmail({ token: verify.split('#')[1]! });
    const { token } = await owner.agora.auth.createToken({ name: 'Whose is this?' });
    await visitor.auth.forgotPassword({ email: owner.email });
    const page = await scene.openPage();
    await page.goto(await linkMailedTo(owner.token, 'reset-password'));
    await page.getByLabel('New password').fill('another horse battery');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('These go on.').waitFor();
    await page.getByText('Developer token: Whose is this?').waitFor();
    await axe(page);
    await shot(page, 'reset-password-credentials');
    await page.getByRole('button', { name: 'End all of these' }).click();
    await page.getByText('These are ended too.').waitFor();
    await expect(scene.server.client({ ownerToken: token }).auth.session()).rejects.toMatchObject({ status: 401 });
  });
});

test('sessions are listed by name, and all others end at once', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const page = await scene.openPage({ path: '/settings?tab=security', owner });
  const { token } = await scene.server.client().auth.signIn({ email: owner.email, password: 'correct horse' });
  await page.reload();
  await page.getByRole('table', { name: 'Sessions' }).getByRole('row').nth(2).waitFor();
  await page.getByRole('button', { name: 'End all others' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End them' }).click();
  await page.getByRole('table', { name: 'Sessions' }).getByRole('row').nth(2).waitFor({ state: 'detached' });
  await expect(scene.server.client({ ownerToken: token }).auth.session()).rejects.toMatchObject({ status: 401 });
  await shot(page, 'settings-security');
  await axe(page);
});

test('everything of the account is exported, and the account is deleted once nothing is open', async () => {
  const page = await scene.openPage();
  const { email, password } = await signUp(page);
  await page.goto('settings?tab=data');
  const file = await savedText(page, () => page.getByRole('button', { name: 'Download everything' }).click());
  const lines = file.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).kind)).toContain('end');

  await page.getByRole('button', { name: 'Delete the account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email);
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('heading', { level: 1, name: /Hire|Sign in/ }).waitFor();
  await expect(scene.server.client().auth.signIn({ email, password })).rejects.toMatchObject({
    code: 'INVALID_CREDENTIALS',
  });
});
