import { rmSync, statSync, writeFileSync } from 'node:fs';
import { Agora } from '@agora-market/sdk';
import { afterEach, expect, test } from 'vitest';
import { verify } from '../../../server/test/api/mailed.ts';
import { serverForFile, startSecondApp } from '../../../server/test/api/scene.ts';
import { codeOf, enableTotp } from '../../../server/test/api/totp-scene.ts';
import { agora, agoraJson, onTerminal, profilesFile, profilesText } from '../../test/command.ts';

const server = serverForFile();
const password = 'correct horse';
const signIn = (email: string, more: string[] = [], stdin = `${password}\n`) =>
  agora(['login', '--url', server.url, '--email', email, '--password-stdin', ...more], { stdin });

afterEach(() => rmSync(profilesFile, { force: true }));

test('login keeps a developer token for this user alone, whoami tells it, logout revokes it', async () => {
  const owner = await server.owner({ credits: 0 });
  const { exitCode, stdout } = await signIn(owner.email);
  expect(stdout).toBe(`Signed in to ${server.url} as ${owner.email}. The profile "default" keeps the token.\n`);
  expect(exitCode).toBe(0);
  expect(statSync(profilesFile).mode & 0o777).toBe(0o600);
  const { token } = JSON.parse(profilesText()).profiles.default;
  expect(token).toMatch(/^ac_dev_/);
  // The session that was needed for it has ended; only the one of the test is left.
  expect((await owner.agora.auth.listSessions()).data).toHaveLength(1);

  expect(await agoraJson(['whoami'])).toMatchObject({
    url: server.url,
    profile: 'default',
    owner: { email: owner.email },
    agent: null,
  });
  // Signing in again replaces the token on the server too.
  await signIn(owner.email);
  expect((await owner.agora.auth.listTokens()).data).toHaveLength(1);

  expect((await agora(['logout'])).stdout).toContain('Its token is revoked.');
  expect((await owner.agora.auth.listTokens()).data).toEqual([]);
  expect(JSON.parse(profilesText()).profiles).toEqual({});
  expect(await agora(['whoami'])).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('agora login') });
  expect(await agora(['logout'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no profile') });
});

test('signup makes an account, and is refused for an address that is taken', async () => {
  const email = `new-${process.pid}@example.com`;
  const args = ['signup', '--url', server.url, '--name', 'Ada', '--email', email, '--password-stdin'];
  expect(await agora(args, { stdin: password })).toMatchObject({ exitCode: 0, stderr: '' });
  expect((await agoraJson<{ owner: { name: string } }>(['whoami'])).owner.name).toBe('Ada');
  const refused = { exitCode: 1, stdout: '', stderr: expect.stringContaining('sign in with `agora login`') };
  expect(await agora(args, { stdin: password })).toMatchObject(refused);
});

test('where owners must verify their address, signup keeps the session until login gives a token', async () => {
  const { app, url } = await startSecondApp(server, { config: { ...server.config, EMAIL_VERIFICATION: 'required' } });
  try {
    const email = `unverified-${process.pid}@example.com`;
    const account = ['--url', url, '--email', email, '--password-stdin'];
    const { stdout, exitCode } = await agora(['signup', '--name', 'Ada', ...account], { stdin: password });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('keeps the session. Verify the address');
    expect(JSON.parse(profilesText()).profiles.default.token).toMatch(/^ac_sess_/);
    expect((await agoraJson<{ owner: { emailVerified: boolean } }>(['whoami'])).owner.emailVerified).toBe(false);
    const sessionOf = () => new Agora({ baseUrl: url, ownerToken: JSON.parse(profilesText()).profiles.default.token });
    // Before: the session went on, and nothing here knew it any more.
    const first = sessionOf();
    expect((await agora(['logout'])).stdout).toContain('Its session has ended.');
    await expect(first.auth.session()).rejects.toMatchObject({ code: 'INVALID_SESSION' });
    await agora(['login', ...account], { stdin: password });
    const second = sessionOf();
    await verify(server, { email });
    await agora(['login', ...account], { stdin: password });
    await expect(second.auth.session()).rejects.toMatchObject({ code: 'INVALID_SESSION' });
    expect(JSON.parse(profilesText()).profiles.default.token).toMatch(/^ac_dev_/);
  } finally {
    await app.close();
  }
});

test('a wrong password and a missing code exit 3, and nothing is kept', async () => {
  const owner = await server.owner({ credits: 0 });
  expect(await signIn(owner.email, [], 'wrong')).toMatchObject({
    exitCode: 3,
    stdout: '',
    stderr: 'agora: E-mail or password is wrong.\n',
  });
  const { secret } = await enableTotp(server, owner);
  const { exitCode, stderr } = await signIn(owner.email);
  expect(exitCode).toBe(3);
  expect(stderr).toContain('second factor');
  expect(() => statSync(profilesFile)).toThrow();
  server.clock.advance(60_000);
  expect(await signIn(owner.email, ['--code', codeOf(server, secret)])).toMatchObject({ exitCode: 0 });
});

test('login asks nothing where there is no terminal, and names the option', async () => {
  expect(await agora(['login', '--url', server.url])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--email'),
  });
  expect(await agora(['login', '--url', server.url, '--email', 'a@example.com'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--password-stdin'),
  });
  expect(await signIn('a@example.com', [], '')).toMatchObject({ exitCode: 2 });
});

test('on a terminal the password is asked for and not shown', async () => {
  const owner = await server.owner({ credits: 0 });
  const shown = await onTerminal(`agora login --url ${server.url} --email ${owner.email}`, {
    when: /Password: $/,
    type: `${password}\r`,
  });
  expect(shown).toContain(`Signed in to ${server.url}`);
  expect(shown).not.toContain(password);
});

test('keeps a token and an agent key that one has, side by side, if the server knows them', async () => {
  const owner = await server.owner({ credits: 0 });
  const agent = await owner.agent();
  const keep = (option: string, stdin: string) => agora(['login', '--url', server.url, option], { stdin });
  expect(await keep('--token', 'ac_dev_unknown')).toMatchObject({ exitCode: 3 });
  expect(await keep('--token', owner.token)).toMatchObject({ exitCode: 0 });
  expect(await keep('--agent-key', agent.key)).toMatchObject({ exitCode: 0 });
  expect(await agoraJson(['whoami'])).toMatchObject({ owner: { id: owner.id }, agent: { id: agent.id } });
  const listed = await agora(['profiles']);
  expect(listed.stdout).toContain('owner token, agent key');
  expect(listed.stdout).not.toContain(agent.key);
  expect((await agora(['logout'])).stdout).toContain('stays valid on the server');
  expect(await owner.agora.auth.session()).toBeTruthy();
});

test('profiles are listed, chosen and forgotten; an unknown one is told with those there are', async () => {
  const [one, other] = [await server.owner({ credits: 0 }), await server.owner({ credits: 0 })];
  await signIn(one.email);
  await signIn(other.email, ['--profile', 'work']);
  const emailOf = async (...more: string[]) =>
    (await agoraJson<{ owner: { email: string } }>(['whoami', ...more])).owner.email;
  expect(await emailOf()).toBe(one.email);
  expect(await emailOf('--profile', 'work')).toBe(other.email);
  expect(await agora(['profiles', 'use', 'work'])).toMatchObject({ exitCode: 0 });
  expect(await emailOf()).toBe(other.email);
  expect(await agora(['whoami', '--profile', 'home'])).toMatchObject({
    exitCode: 2,
    stderr: 'agora: There is no profile "home". There are: default, work.\n',
  });
  expect(await agora(['profiles', 'remove', 'work'])).toMatchObject({ exitCode: 0 });
  expect(await emailOf()).toBe(one.email);
  expect(await signIn(one.email, ['--profile', '../x'])).toMatchObject({ exitCode: 2 });
});

test('options count before the environment, and that before the profile', async () => {
  const [one, other] = [await server.owner({ credits: 0 }), await server.owner({ credits: 0 })];
  await signIn(one.email);
  const env = { AGORA_URL: server.url, AGORA_TOKEN: other.token };
  expect(await agoraJson(['whoami'], { env })).toMatchObject({ profile: null, owner: { id: other.id } });
  expect(await agoraJson(['whoami', '--profile', 'default'], { env })).toMatchObject({ owner: { id: one.id } });
});

test('a credential never goes to an address that was given without it', async () => {
  const owner = await server.owner({ credits: 0 });
  await signIn(owner.email);
  const elsewhere = server.url.replace('127.0.0.1', 'localhost');
  expect(await agora(['whoami', '--url', elsewhere])).toMatchObject({ exitCode: 3 });
  const env = { AGORA_URL: 'https://agora.example', AGORA_TOKEN: owner.token };
  expect(await agora(['whoami', '--url', server.url], { env })).toMatchObject({ exitCode: 3 });
});

test('a damaged file is told and left alone, for it holds the only copy of keys', async () => {
  await signIn((await server.owner({ credits: 0 })).email);
  for (const text of ['{"current": "default", "prof', '{"current":"default","profiles":{"default":{}}}', '[]']) {
    writeFileSync(profilesFile, text);
    const { exitCode, stderr } = await agora(['profiles']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`The profiles in ${profilesFile} are damaged.`);
    expect(await signIn('a@example.com')).toMatchObject({ exitCode: 1 });
    expect(profilesText()).toBe(text);
  }
});
