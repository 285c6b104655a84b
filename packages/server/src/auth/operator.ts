import { timingSafeEqual } from 'node:crypto';
import { type Config, ensure, type OperatorCaller } from '../platform/index.ts';
import { hashCredential } from './credentials.ts';

/**
 * Whether an `Authorization` header has the operator's token. Hashes are compared: they have the same length, and the
 * time of the comparison reveals nothing. If no token is set, none is valid, and a stranger cannot see the difference.
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
