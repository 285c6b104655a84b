import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { caughtMail } from '../../src/mail/index.ts';
import { siteKey, startTurnstile } from '../support/turnstile.ts';
import { type SecondApp, serverForFile, startSecondApp } from './scene.ts';
import { password } from './totp-scene.ts';

/** The challenge that browsers pass before they sign up or in. */

const server = serverForFile();
let turnstile: Awaited<ReturnType<typeof startTurnstile>>;
let guarded: SecondApp;
let logged = '';
const log = pino(
  { level: 'warn' },
  new Writable({
    write(line, _, done) {
      logged += line;
      done();
    },
  }),
);

beforeAll(async () => {
  turnstile = await startTurnstile();
  const config = { ...server.config, ...turnstile.settings, PUBLIC_URL: 'https://agora.example' };
  guarded = await startSecondApp(server, { config, log });
});
afterAll(async () => {
  await guarded.app.close();
  await turnstile.close();
});
afterEach(() => {
  turnstile.answer(null);
  logged = '';
});

const ownPage = { origin: 'https://agora.example', 'sec-fetch-site': 'same-origin' };

async function post(path: string, body: object, headers: Record<string, string> = ownPage, url = guarded.url) {
  const response = await fetch(`${url}/api/v1/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const code = text === '' ? undefined : (JSON.parse(text) as { error?: { code: string } }).error?.code;
  return code === undefined ? `${response.status}` : `${response.status} ${code}`;
}

let serial = 0;
const newcomer = () => ({ name: 'Ada', email: `captcha-${++serial}@example.com`, password });
/** A sign-in that would succeed if nobody was challenged. */
async function known() {
  const { email } = await server.owner({ credits: 0 });
  return { email, password };
}

describe('a browser', () => {
  test('finds the site key before it signs in, and none where nobody is challenged', async () => {
    const captcha = (baseUrl: string) => server.client().withOptions({ baseUrl }).auth.captcha();
    expect(await captcha(guarded.url)).toEqual({ provider: 'turnstile', siteKey });
    expect(await captcha(server.url)).toEqual({ provider: null, siteKey: null });
    expect(await post('sign-in', await known(), ownPage, server.url)).toBe('200');
  });

  test('signs up and in once it has passed, and not without', async () => {
    const newOne = newcomer();
    expect(await post('sign-up', newOne)).toBe('400 CAPTCHA_REQUIRED');
    expect(await post('sign-up', { ...newOne, captchaToken: '' })).toBe('400 CAPTCHA_REQUIRED');
    expect(await post('sign-up', { ...newOne, captchaToken: 'made up' })).toBe('400 CAPTCHA_FAILED');
    const passed = turnstile.solve({ action: 'sign_up' });
    expect(await post('sign-up', { ...newOne, captchaToken: passed })).toBe('201');
    expect(turnstile.asked.at(-1)).toEqual({ secret: turnstile.settings.TURNSTILE_SECRET_KEY, response: passed });
    const { email } = newOne;
    expect(await post('sign-in', { email, password })).toBe('400 CAPTCHA_REQUIRED');
    expect(await post('sign-in', { email, password, captchaToken: turnstile.solve() })).toBe('200');
    expect(await post('sign-in', { email, password, captchaToken: 'x'.repeat(2049) })).toBe('400 VALIDATION_ERROR');
  });

  test('is one by either header, or by the cookie that it asks for', async () => {
    const body = await known();
    expect(await post('sign-in', body, { origin: 'https://agora.example' })).toBe('400 CAPTCHA_REQUIRED');
    expect(await post('sign-in', body, { 'sec-fetch-site': 'none' })).toBe('400 CAPTCHA_REQUIRED');
    expect(await post('sign-in', { ...body, cookie: true }, ownPage)).toBe('400 CAPTCHA_REQUIRED');
  });

  test('has a token for one try, and learns by it nothing of the account', async () => {
    const { email } = await known();
    const captchaToken = turnstile.solve();
    const wrong = 'wrong horse';
    expect(await post('sign-in', { email, password: wrong, captchaToken })).toBe('401 INVALID_CREDENTIALS');
    expect(await post('sign-in', { email, password, captchaToken })).toBe('400 CAPTCHA_FAILED');
    expect(await post('sign-in', { email: 'nobody@example.com', password })).toBe('400 CAPTCHA_REQUIRED');
  });

  test('must have passed on a page of this host, and for what it does', async () => {
    const body = await known();
    const elsewhere = turnstile.solve({ hostname: 'phishing.example' });
    expect(await post('sign-in', { ...body, captchaToken: elsewhere })).toBe('400 CAPTCHA_FAILED');
    const forAnother = turnstile.solve({ action: 'sign_up' });
    expect(await post('sign-in', { ...body, captchaToken: forAnother })).toBe('400 CAPTCHA_FAILED');
    expect(await post('sign-in', { ...body, captchaToken: turnstile.solve({ action: 'sign_in' }) })).toBe('200');
  });

  test('gets no mail sent for a forgotten password before it has passed', async () => {
    const { email } = await known();
    const resets = async () => {
      await guarded.app.run('auth.forgotPassword');
      await guarded.app.run('mail.send');
      return (await caughtMail(server.config)).filter(({ to, subject }) => to === email && /^Reset/.test(subject))
        .length;
    };
    expect(await post('password/forgot', { email })).toBe('400 CAPTCHA_REQUIRED');
    expect(await resets()).toBe(0);
    const captchaToken = turnstile.solve({ action: 'forgot_password' });
    expect(await post('password/forgot', { email, captchaToken })).toBe('204');
    expect(await resets()).toBe(1);
  });
});

test('programs that use the API are never challenged: their requests cost no call', async () => {
  const before = turnstile.asked.length;
  const client = server.client().withOptions({ baseUrl: guarded.url });
  const { name, email } = newcomer();
  await client.auth.signUp({ name, email, password });
  const { token } = await client.auth.signIn({ email, password });
  await client.auth.forgotPassword({ email });
  const agora = server.client({ ownerToken: token }).withOptions({ baseUrl: guarded.url });
  await agora.auth.createToken({ name: 'ci' });
  expect(turnstile.asked.length).toBe(before);
});

describe('while Cloudflare gives no verdict', () => {
  test.each<[string, Parameters<typeof turnstile.answer>[0]]>([
    ['is down', (response) => void response.destroy()],
    ['answers with a page', (response) => void response.writeHead(503).end('<html>Sorry</html>')],
    ['answers with other JSON', (response) => void response.end('{"success":"true"}')],
    ['answers without end', (response) => void response.end(`{"success":true,"cdata":"${'x'.repeat(100_000)}"}`)],
    ['has an error of its own', (response) => void response.end('{"success":false,"error-codes":["internal-error"]}')],
    ['does not answer', () => undefined],
  ])('because it %s, browsers are let through, and the log says so', async (_, answer) => {
    const body = await known();
    turnstile.answer(answer);
    expect(await post('sign-in', { ...body, captchaToken: turnstile.solve() })).toBe('200');
    expect(logged).toContain('a browser was let through unchallenged');
    expect(logged).not.toContain(turnstile.settings.TURNSTILE_SECRET_KEY);
    expect(await post('sign-in', body)).toBe('400 CAPTCHA_REQUIRED');
  });
});

test('a wrong secret key lets nobody through, and the log says why', async () => {
  const config = { ...server.config, ...turnstile.settings, TURNSTILE_SECRET_KEY: 'another' };
  const wrong = await startSecondApp(server, { config, log });
  try {
    const body = { ...(await known()), captchaToken: turnstile.solve() };
    expect(await post('sign-in', body, ownPage, wrong.url)).toBe('400 CAPTCHA_FAILED');
    expect(logged).toContain('TURNSTILE_SECRET_KEY is wrong');
  } finally {
    await wrong.app.close();
  }
});
