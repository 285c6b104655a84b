import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readConfig, settingsTable } from '@agora-market/server';
import { expect, test } from 'vitest';
import { agora } from '../../test/command.ts';

test('docs/configuration.md holds exactly the settings that the server reads', async () => {
  const page = await readFile(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
  expect(page).toContain(settingsTable());
});

test('the command prints values, where they come from, and what stops a start; secrets are masked', async () => {
  const plain = await agora(['settings']);
  expect(plain).toMatchObject({ exitCode: 0, stderr: '' });
  expect(plain.stdout).toMatch(/^PORT +4000 +default +Port to listen on/m);
  expect(plain.stdout).toMatch(/^No judge is set up: .* See JUDGE_BASE_URL\.$/m);
  const env = {
    PORT: '5000',
    DATABASE_URL: 'postgres://ada:hunter2@db.example:5433/agora?password=hunter3',
    AGORA_OPERATOR_TOKEN: 'hunter4'.repeat(6),
    JUDGE_MODEL: 'a-model',
  };
  const { exitCode, stdout } = await agora(['settings', '--json'], { env });
  expect(exitCode).toBe(1);
  expect(stdout).not.toContain('hunter');
  const told = JSON.parse(stdout);
  const settingOf = (name: string) => told.settings.find((each: { name: string }) => each.name === name);
  expect(settingOf('PORT')).toMatchObject({ value: '5000', from: 'environment' });
  expect(settingOf('HOST')).toMatchObject({ value: '127.0.0.1', from: 'default' });
  expect(settingOf('DATABASE_URL')).toMatchObject({ value: 'postgres://ada:***@db.example:5433/agora' });
  expect(settingOf('AGORA_OPERATOR_TOKEN')).toMatchObject({ value: '***' });
  expect(settingOf('S3_BUCKET')).toMatchObject({ value: null });
  expect(told).toMatchObject({ judge: 'a-model judges scores of 50 to 70', problem: expect.stringContaining('JUDGE') });
  expect((await agora(['settings', '--markdown'])).stdout).toBe(`${settingsTable()}\n`);
});

test('a setting that does not parse stops the start with its name and what it is for', () => {
  expect(() => readConfig({ PORT: 'eighty', REFUND_WINDOW_MS: '-1' })).toThrow(
    /cannot be used:\n {2}PORT \(Port to listen on.*\n.*REFUND_WINDOW_MS/,
  );
});

test.each([
  ['AGORA_DATADIR', 'AGORA_DATA_DIR'],
  ['AGORA_ENCRYPTON_KEY', 'AGORA_ENCRYPTION_KEY'],
  ['SANDBOX_MAXLIVE', 'SANDBOX_MAX_LIVE'],
  ['RATE_LIMIT_SIGNUP', 'RATE_LIMIT_SIGN_UP'],
])('%s is refused with the name that was meant', (given, meant) => {
  expect(() => readConfig({ [given]: '/somewhere' })).toThrow(
    `These settings cannot be used:\n  ${given} is not a setting. Did you mean ${meant}? Rename it or unset it`,
  );
});

test('variables of other programs are left alone', () => {
  const others = {
    AGORA_URL: 'x',
    AGORA_TOKEN: 'x',
    AGORA_AGENT_KEY: 'x',
    AGORA_TRUST_KEY: 'x',
    DATABASE_URL_TEST: 'x',
    S3_ENDPOINT_URL: 'x',
    HOSTNAME: 'x',
  };
  expect(readConfig({ ...others, PORTS: '1', PATH: '/bin', HOME: '/root' }).PORT).toBe(4000);
});

test.each([
  ['PORT', 'eighty', 'takes a number; it is "eighty"'],
  ['PORT', '1.5', 'takes a whole number; it is "1.5"'],
  ['PORT', '70000', 'takes 65535 or less; it is "70000"'],
  ['ACCEPT_DEADLINE_MS', '0', 'takes 1 or more; it is "0"'],
  ['AGORA_ENV', 'prod', 'takes development, production; it is "prod"'],
  ['PUBLIC_URL', 'here', 'takes an address such as https://example.com; it is "here"'],
  ['AGORA_OPERATOR_TOKEN', 'x'.repeat(31), ') takes 32 characters or more'],
  ['AGORA_OPERATOR_TOKEN', `${'x'.repeat(31)} x`, ') takes no blanks'],
  ['OTEL_SERVICE_NAME', 'x'.repeat(201), ') takes 200 characters or less; it is "xxx'],
  ['EXCHANGE_SUNSET', 'soon', ') takes a time, as 2026-06-30T00:00:00Z; it is "soon"'],
  ['STRIPE_SECRET_KEY', 'pk_1', ') takes sk_… or rk_…'],
  [
    'TRUST_PROXY',
    'x',
    'takes false, true (one proxy), a number of proxies, or addresses and CIDRs with commas between',
  ],
])('%s=%s is refused with what it takes', (name, value, says) => {
  expect(() => readConfig({ [name]: value })).toThrow(says);
});

test('a refund window that outlasts the earnings hold is refused, for the money would be gone', () => {
  expect(() => readConfig({ REFUND_WINDOW_MS: '900000' })).toThrow(
    /REFUND_WINDOW_MS must be less than EARNINGS_HOLD_MS/,
  );
});

test('empty variables count as not set', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 4000, DATABASE_URL: undefined });
});

test('half a challenge is refused, and its secret is not repeated', () => {
  expect(() => readConfig({ TURNSTILE_SITE_KEY: 'site' })).toThrow(/TURNSTILE_SITE_KEY and .* go together/);
  expect(() => readConfig({ TURNSTILE_SECRET_KEY: 'hunter2' })).toThrow(/^(?!.*hunter2).*go together/s);
});

test('a key for encryption without the kind that takes one is refused', () => {
  expect(() => readConfig({ S3_SSE: 'AES256', S3_SSE_KMS_KEY_ID: 'key' })).toThrow(
    /S3_SSE_KMS_KEY_ID needs S3_SSE=aws:kms/,
  );
  expect(readConfig({ S3_SSE: 'aws:kms', S3_SSE_KMS_KEY_ID: 'key' })).toMatchObject({ S3_SSE_KMS_KEY_ID: 'key' });
});

test('a part of a GitHub App is refused, and so is a key that is none, which is not repeated', () => {
  const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  const app = {
    ...{ GITHUB_APP_ID: '1', GITHUB_APP_PRIVATE_KEY: String(pem).replaceAll('\n', '\\n') },
    ...{ GITHUB_APP_WEBHOOK_SECRET: 's', GITHUB_CLIENT_ID: 'c', GITHUB_CLIENT_SECRET: 's' },
  };
  expect(readConfig(app).GITHUB_APP_PRIVATE_KEY).toBe(pem);
  const { GITHUB_APP_WEBHOOK_SECRET: _, ...half } = app;
  expect(() => readConfig(half)).toThrow(/GITHUB_APP_ID, .* go together/);
  expect(() => readConfig({ ...app, GITHUB_CLIENT_ID: '' })).toThrow(/GITHUB_APP_ID, .* go together/);
  expect(() => readConfig({ ...app, GITHUB_APP_PRIVATE_KEY: 'hunter2' })).toThrow(
    /^(?!.*hunter2).*GITHUB_APP_PRIVATE_KEY .*takes the private key/s,
  );
});

test('hosts of forges are a list', () => {
  expect(readConfig({}).FORGE_TRUSTED_HOSTS).toEqual([]);
  expect(readConfig({ FORGE_TRUSTED_HOSTS: 'git.internal, gitlab.internal' }).FORGE_TRUSTED_HOSTS).toEqual([
    'git.internal',
    'gitlab.internal',
  ]);
  expect(() => readConfig({ FORGE_TRUSTED_HOSTS: 'https://git.internal' })).toThrow(
    /FORGE_TRUSTED_HOSTS .*takes host names/,
  );
});

test('half a judge is refused, and a password in its address is not repeated', () => {
  expect(() => readConfig({ JUDGE_BASE_URL: 'http://127.0.0.1:8000/v1' })).toThrow(
    /JUDGE_BASE_URL and JUDGE_MODEL go together/,
  );
  expect(() => readConfig({ JUDGE_MODEL: 'm' })).toThrow(/JUDGE_BASE_URL and JUDGE_MODEL go together/);
  const withPassword = { JUDGE_BASE_URL: 'https://user:hunter2@host/v1', JUDGE_MODEL: 'm' };
  expect(() => readConfig(withPassword)).toThrow(/^(?!.*hunter2).*JUDGE_BASE_URL .*takes no user name or password/s);
  expect(readConfig({ JUDGE_BASE_URL: 'http://10.0.0.5/v1', JUDGE_MODEL: 'm' }).JUDGE_BASE_URL).toBe(
    'http://10.0.0.5/v1',
  );
});
