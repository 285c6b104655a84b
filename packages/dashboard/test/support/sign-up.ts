import type { Page } from 'playwright-core';

let serial = 0;

/** Signs up as a person would, by the form. Ends once the page is that of an owner, and says who it is. */
export async function signUp(page: Page, { name = 'Ada Lovelace', password = 'correct horse battery' } = {}) {
  const email = `visitor-${process.pid}-${++serial}@example.com`;
  await page.goto('sign-up');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  const answered = page.waitForResponse((response) => response.url().endsWith('/auth/sign-up'));
  await page.getByRole('button', { name: 'Create account' }).click();
  const response = await answered;
  if (response.status() !== 201) throw new Error(`Sign-up was refused: ${await response.text()}`);
  await page.waitForURL((url) => !url.pathname.endsWith('/sign-up'));
  return { name, email, password };
}
