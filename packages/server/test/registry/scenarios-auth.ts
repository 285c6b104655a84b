import type { World } from '../api/requests.ts';
import { enableTotp, password } from '../api/totp-scene.ts';
import { bearer, json, type Scenarios, type Surroundings } from './scenario.ts';

/** A new owner with a second factor. */
export async function guarded({ server }: World) {
  const owner = await server.owner({ credits: 0 });
  await enableTotp(server, owner);
  return owner;
}

/** Sent as a browser would, to a server that challenges browsers. */
const challenged = (body: object) => ({
  CAPTCHA_REQUIRED: async (_: World, { withCaptcha: url }: Surroundings) => ({ url, ...fromPage, ...json(body) }),
  CAPTCHA_FAILED: async (_: World, { withCaptcha: url }: Surroundings) => ({
    url,
    ...fromPage,
    ...json({ ...body, captchaToken: 'of a robot' }),
  }),
});
const fromPage = { headers: { 'sec-fetch-site': 'same-origin' } };

export const signInScenarios: Pick<
  Scenarios,
  'auth.signUp' | 'auth.signIn' | 'auth.forgotPassword' | 'auth.caughtMail'
> = {
  // Unless it is challenged, no request says where it comes from, as a browser would.
  'auth.signUp': {
    ...challenged({ name: 'Ada', email: 'challenged@example.com', password }),
    CROSS_SITE_REQUEST: async () => json({ name: 'Ada', email: 'page@example.com', password, cookie: true }),
    DUPLICATE: async ({ pair }) => json({ name: 'Ada', email: pair.buyer.email, password }),
  },
  'auth.caughtMail': {
    WRONG_STATE: async ({ pair }) => bearer(await pair.buyer.agora.auth.createToken({ name: 'reads' })),
  },
  'auth.forgotPassword': challenged({ email: 'nobody@example.com' }),
  'auth.signIn': {
    ...challenged({ email: 'nobody@example.com', password }),
    CROSS_SITE_REQUEST: async ({ pair }) => json({ email: pair.buyer.email, password, cookie: true }),
    INVALID_CREDENTIALS: async ({ pair }) => json({ email: pair.buyer.email, password: 'wrong' }),
    TOTP_REQUIRED: async (world) => json({ email: (await guarded(world)).email, password }),
    TOTP_INVALID: async (world) => json({ email: (await guarded(world)).email, password, code: 'none' }),
    OWNER_SUSPENDED: async ({ server }) => {
      const { email } = await server.owner({ credits: 0 });
      await server.pool.query(`update owners set status = 'suspended' where email = $1`, [email]);
      return json({ email, password });
    },
  },
};

type TotpScenarios = Pick<
  Scenarios,
  'auth.beginTotp' | 'auth.confirmTotp' | 'auth.renewRecoveryCodes' | 'auth.disableTotp'
>;

/** Sent by a new owner, for there are few tries a minute for each. */
export const byNewOwner =
  (body: object) =>
  async ({ server }: World) => ({ ...bearer(await server.owner({ credits: 0 })), ...json(body) });

const withBoth = {
  INVALID_CREDENTIALS: byNewOwner({ password: 'wrong', code: '123456' }),
  TOTP_INVALID: async (world: World) => ({ ...bearer(await guarded(world)), ...json({ password, code: 'none' }) }),
  WRONG_STATE: byNewOwner({ password, code: '123456' }),
};

export const totpScenarios: TotpScenarios = {
  'auth.beginTotp': {
    INVALID_CREDENTIALS: byNewOwner({ password: 'wrong' }),
    WRONG_STATE: async (world) => ({ ...bearer(await guarded(world)), ...json({ password }) }),
  },
  'auth.confirmTotp': {
    TOTP_INVALID: async ({ server }) => {
      const owner = await server.owner({ credits: 0 });
      await owner.agora.auth.beginTotp({ password });
      return { ...bearer(owner), ...json({ code: 'none' }) };
    },
    WRONG_STATE: async () => json({ code: '123456' }),
  },
  'auth.renewRecoveryCodes': withBoth,
  'auth.disableTotp': withBoth,
};
