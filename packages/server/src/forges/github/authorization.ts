import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../platform/index.ts';
import { type encryption, ensure } from '../../platform/index.ts';

/** An authorization that is not completed within this time must begin again. */
const validMs = 10 * 60_000;

type Safe = ReturnType<typeof encryption>;
type Settings = Pick<Config, 'GITHUB_BASE_URL' | 'GITHUB_CLIENT_ID' | 'GITHUB_CLIENT_SECRET'>;

function appOf({ GITHUB_CLIENT_ID: id, GITHUB_CLIENT_SECRET: secret }: Settings) {
  ensure(id !== undefined && secret !== undefined, 'GITHUB_NOT_CONFIGURED');
  return { id, secret };
}

const markOf = (safe: Safe, ownerId: string, begun: string) =>
  safe.digest('github authorization', ownerId, begun).toString('base64url');

/** Of the secret and the state alone, so that nothing is stored between the two requests (RFC 7636, 4.1). */
const verifierOf = (safe: Safe, state: string) => safe.digest('github verifier', state).toString('base64url');

/**
 * The page at GitHub where the owner agrees. The state names the end of the authorization and proves its owner, so nobody
 * can complete it for another's account.
 */
export function beginAuthorization(safe: Safe, config: Settings, ownerId: string, now: Date) {
  const app = appOf(config);
  const endsMs = now.getTime() + validMs;
  const begun = `${endsMs}.${randomBytes(16).toString('base64url')}`;
  const state = `${begun}.${markOf(safe, ownerId, begun)}`;
  const asked = new URLSearchParams({
    client_id: app.id,
    scope: 'repo',
    state,
    code_challenge: createHash('sha256').update(verifierOf(safe, state)).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return {
    url: `${config.GITHUB_BASE_URL}/login/oauth/authorize?${asked}`,
    expiresAt: new Date(endsMs).toISOString(),
  };
}

/** The form that buys the token for the code; refuses a state of another owner, of nobody, or of too long ago. */
export function completion(
  safe: Safe,
  config: Settings,
  ownerId: string,
  { code, state }: { code: string; state: string },
  now: Date,
): Record<string, string> {
  const app = appOf(config);
  const [ends = '', nonce = '', mark = ''] = state.split('.');
  const [given, ours] = [Buffer.from(mark), Buffer.from(markOf(safe, ownerId, `${ends}.${nonce}`))];
  const isOurs = given.length === ours.length && timingSafeEqual(given, ours);
  ensure(isOurs && now.getTime() < Number(ends), 'GITHUB_TOKEN_REFUSED', 'The state is of no authorization under way.');
  return { client_id: app.id, client_secret: app.secret, code, code_verifier: verifierOf(safe, state) };
}
