import { signInTries } from '@agora-market/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { listed, tellAll } from '../notifications/scene.ts';
import type { TestOwner } from '../support/harness.ts';
import { textOf } from '../vault/csv-text.ts';
import { askForReset, verify } from './mailed.ts';
import { refusalOf, serverForFile, startSecondApp } from './scene.ts';
import { codeOf, enableTotp, password, wrongCode } from './totp-scene.ts';

/** The second factor of accounts. */

const server = serverForFile();
const minute = 60_000;
const hour = 60 * minute;
let owner: TestOwner;
beforeEach(async () => {
  owner = await server.owner({ credits: 0 });
});

const signIn = (code?: string, secretWord = password) =>
  server.client().auth.signIn({ email: owner.email, password: secretWord, ...(code !== undefined && { code }) });
/** So that the next code is one that was not used, and wrong passwords of before are forgotten. */
const later = () => server.clock.advance(minute);
const auth = () => owner.agora.auth;

async function eventsOf(type: string) {
  const found = await owner.agora.embassy.audit({ type: type as 'owner.totp_enabled' });
  return found.data.map(({ data }) => data);
}

describe('turning it on', () => {
  test('takes the password and a code of the app; until then nothing changes', async () => {
    expect(await auth().totp()).toEqual({ enabled: false, enabledAt: null, recoveryCodesLeft: 0 });
    expect(await refusalOf(auth().beginTotp({ password: 'wrong horse' }))).toBe('401 INVALID_CREDENTIALS');
    const { secret, uri } = await auth().beginTotp({ password });
    expect(uri).toContain(`secret=${secret}`);
    expect(uri).toContain(encodeURIComponent(owner.email));
    await signIn();
    expect(await refusalOf(auth().confirmTotp({ code: wrongCode(server, secret) }))).toBe('401 TOTP_INVALID');
    expect(await refusalOf(auth().confirmTotp({ code: '２８７０８２' }))).toBe('401 TOTP_INVALID');
    expect(await auth().totp()).toMatchObject({ enabled: false });
    const { recoveryCodes } = await auth().confirmTotp({ code: codeOf(server, secret) });
    expect(recoveryCodes).toHaveLength(10);
    const enabledAt = server.clock.now().toISOString();
    expect(await auth().totp()).toEqual({ enabled: true, enabledAt, recoveryCodesLeft: 10 });
    expect(await refusalOf(auth().beginTotp({ password }))).toBe('400 WRONG_STATE');
    expect(await refusalOf(auth().confirmTotp({ code: codeOf(server, secret) }))).toBe('400 WRONG_STATE');
    expect(await eventsOf('owner.totp_enabled')).toEqual([{ ownerId: owner.id }]);
  });

  test('can be begun again, which voids the secret before, and must be confirmed within ten minutes', async () => {
    const first = await auth().beginTotp({ password });
    const second = await auth().beginTotp({ password });
    expect(await refusalOf(auth().confirmTotp({ code: codeOf(server, first.secret) }))).toBe('401 TOTP_INVALID');
    server.clock.advance(10 * minute);
    expect(await refusalOf(auth().confirmTotp({ code: codeOf(server, second.secret) }))).toBe('400 WRONG_STATE');
    const third = await auth().beginTotp({ password });
    server.clock.advance(9 * minute);
    await auth().confirmTotp({ code: codeOf(server, third.secret) });
  });

  test('takes no more than ten wrong codes an hour, from wherever they come', async () => {
    const { secret } = await auth().beginTotp({ password });
    for (let nth = 0; nth < signInTries.ofSecondFactor.limit; nth++) {
      expect(await refusalOf(auth().confirmTotp({ code: wrongCode(server, secret) }))).toBe('401 TOTP_INVALID');
    }
    expect(await refusalOf(auth().confirmTotp({ code: codeOf(server, secret) }))).toBe('429 RATE_LIMITED');
  });

  test('stores neither the secret nor a recovery code in clear, and no export has them', async () => {
    const { secret, recoveryCodes } = await enableTotp(server, owner);
    const { rows } = await server.pool.query(
      `select encode(f.secret, 'escape') as factor, string_agg(encode(r.hash, 'escape'), ' ') as codes
       from totp_factors f join recovery_codes r using (owner_id) group by f.owner_id, f.secret`,
    );
    expect(rows.length).toBeGreaterThan(0);
    const exported = await textOf(owner.agora.embassy.exportData());
    expect(exported).toContain('"kind":"secondFactor"');
    for (const text of [JSON.stringify(rows), exported]) {
      for (const shown of [secret, ...recoveryCodes]) {
        expect(text).not.toContain(shown);
        expect(text).not.toContain(shown.replaceAll('-', ''));
      }
    }
  });
});

describe('signing in', () => {
  test('takes the password and a code; that there is a second factor only the right password learns', async () => {
    const { secret } = await enableTotp(server, owner);
    later();
    expect(await refusalOf(signIn(undefined, 'wrong horse'))).toBe('401 INVALID_CREDENTIALS');
    expect(await refusalOf(signIn(codeOf(server, secret), 'wrong horse'))).toBe('401 INVALID_CREDENTIALS');
    expect(await refusalOf(signIn())).toBe('401 TOTP_REQUIRED');
    expect(await refusalOf(signIn(wrongCode(server, secret)))).toBe('401 TOTP_INVALID');
    later();
    const code = codeOf(server, secret);
    const { token } = await signIn(`${code.slice(0, 3)} ${code.slice(3)}`);
    await server.client({ ownerToken: token }).auth.session();
  });

  test('takes codes of a step before and after, each once, and none that is older than one that was used', async () => {
    const { secret } = await enableTotp(server, owner);
    expect(await refusalOf(signIn(codeOf(server, secret)))).toBe('401 TOTP_INVALID');
    later();
    const [before, now, after] = [-1, 0, 1].map((steps) => codeOf(server, secret, steps));
    expect(await refusalOf(signIn(codeOf(server, secret, -2)))).toBe('401 TOTP_INVALID');
    expect(await refusalOf(signIn(codeOf(server, secret, 2)))).toBe('401 TOTP_INVALID');
    await signIn(before);
    await signIn(now);
    expect(await refusalOf(signIn(now))).toBe('401 TOTP_INVALID');
    later();
    await signIn(codeOf(server, secret, 1));
    expect(await refusalOf(signIn(codeOf(server, secret, 0)))).toBe('401 TOTP_INVALID');
    expect(after).not.toBe(now);
  });

  test('takes each recovery code once, and says how many are left', async () => {
    const { recoveryCodes } = await enableTotp(server, owner);
    const [code] = recoveryCodes as [string];
    await signIn(code.toUpperCase());
    expect(await refusalOf(signIn(code))).toBe('401 TOTP_INVALID');
    expect((await auth().totp()).recoveryCodesLeft).toBe(9);
    expect(await eventsOf('owner.recovery_code_used')).toEqual([{ ownerId: owner.id, left: 9 }]);
    const stranger = await server.owner({ credits: 0 });
    const others = await enableTotp(server, stranger);
    expect(await refusalOf(signIn(others.recoveryCodes[0]))).toBe('401 TOTP_INVALID');
  });

  test('of many at once with one code, at two servers, one succeeds', async () => {
    const { secret, recoveryCodes } = await enableTotp(server, owner);
    const second = await startSecondApp(server);
    try {
      for (const code of [() => codeOf(server, secret), () => recoveryCodes[0] as string]) {
        later();
        const tries = [server.url, second.url, server.url, second.url].map((url) =>
          fetch(`${url}/api/v1/auth/sign-in`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ email: owner.email, password, code: code() }),
          }),
        );
        const statuses = (await Promise.all(tries)).map(({ status }) => status);
        expect(statuses.sort()).toEqual([200, 401, 401, 401]);
      }
    } finally {
      await second.app.close();
    }
  });

  test('counts a wrong code like a wrong password', async () => {
    const { secret } = await enableTotp(server, owner);
    later();
    for (let nth = 0; nth < signInTries.fromAddress.limit; nth++) {
      expect(await refusalOf(signIn(wrongCode(server, secret)))).toBe('401 TOTP_INVALID');
    }
    expect(await refusalOf(signIn(codeOf(server, secret)))).toBe('429 RATE_LIMITED');
  });

  test('after a reset of the password takes the code all the same, where the address was verified', async () => {
    await verify(server, owner);
    const { secret } = await enableTotp(server, owner);
    const token = await askForReset(server, owner.email);
    await server.client().auth.resetPassword({ token, password: 'another horse' });
    expect(await refusalOf(signIn(undefined, 'another horse'))).toBe('401 TOTP_REQUIRED');
    server.clock.advance(hour);
    await signIn(codeOf(server, secret), 'another horse');
  });
});

describe('an owner', () => {
  test('makes new recovery codes by password and code, and those before are void', async () => {
    const { secret, recoveryCodes: former } = await enableTotp(server, owner);
    later();
    const code = codeOf(server, secret);
    expect(await refusalOf(auth().renewRecoveryCodes({ password: 'wrong horse', code }))).toBe(
      '401 INVALID_CREDENTIALS',
    );
    const { recoveryCodes } = await auth().renewRecoveryCodes({ password, code });
    expect(await refusalOf(signIn(former[0]))).toBe('401 TOTP_INVALID');
    expect(await refusalOf(auth().renewRecoveryCodes({ password, code }))).toBe('401 TOTP_INVALID');
    await signIn(recoveryCodes[0]);
    expect(await eventsOf('owner.recovery_codes_renewed')).toHaveLength(1);
  });

  test('turns it off by password and a code, and is told of each change', async () => {
    const { recoveryCodes } = await enableTotp(server, owner);
    const [code] = recoveryCodes as [string];
    expect(await refusalOf(auth().disableTotp({ password: 'wrong horse', code }))).toBe('401 INVALID_CREDENTIALS');
    expect(await refusalOf(auth().disableTotp({ password, code: 'none' }))).toBe('401 TOTP_INVALID');
    await auth().disableTotp({ password, code });
    await signIn();
    expect(await auth().totp()).toEqual({ enabled: false, enabledAt: null, recoveryCodesLeft: 0 });
    expect(await refusalOf(auth().disableTotp({ password, code }))).toBe('400 WRONG_STATE');
    expect(await eventsOf('owner.totp_disabled')).toEqual([{ ownerId: owner.id, by: 'owner' }]);
    await tellAll(server);
    expect((await listed(owner)).map(({ kind, text }) => [kind, text.split('.')[0]])).toEqual([
      ['second_factor_changed', 'Signing in to your account takes no code of an authenticator app any more'],
      ['recovery_code_used', 'A recovery code of your account was used; 9 are left'],
      ['second_factor_changed', 'Signing in to your account now takes a code of an authenticator app'],
    ]);
    const { secret } = await enableTotp(server, owner);
    later();
    await signIn(codeOf(server, secret));
  });

  test('who has lost everything is helped by the operator, which leaves who and why behind', async () => {
    await enableTotp(server, owner);
    const ask = () =>
      server.operator().auth.updateOwner(owner.id, { totp: 'off', reason: 'Has shown a passport', by: 'Ada' });
    await ask();
    await signIn();
    await ask();
    const data = { ownerId: owner.id, reason: 'Has shown a passport', by: 'Ada' };
    expect(await eventsOf('owner.totp_disabled')).toEqual([data]);
  });
});
