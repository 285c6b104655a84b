import { timingSafeEqual } from 'node:crypto';
import { type Config, ensure, type OperatorCaller } from '../platform/index.ts';
import { hashCredential } from './credentials.ts';

/**
 * Whether an `Authorization` header carries the operator's token of the settings. Hashes are compared, for they are of
 * one length and tell nothing by the time it takes. Where no token is set none is right, and a stranger cannot tell
 * the two apart.
 */
export function createOperatorAuthentication(
  config: Pick<Config, 'AGORA_OPERATOR_TOKEN'>,
): (authorizationHeader: string) => OperatorCaller {
  const token = config.AGORA_OPERATOR_TOKEN;
  const wanted = token === undefined ? null : Buffer.from(hashCredential(token));
  return (authorizationHeader) => {
    const given = Buffer.from(hashCredential(/^Bearer +(\S+) *$/i.exec(authorizationHeader)?.[1] ?? ''));
    ensure(wanted !== null && timingSafeEqual(given, wanted), 'INVALID_OPERATOR_TOKEN');
    return { kind: 'operator' };
  };
}
