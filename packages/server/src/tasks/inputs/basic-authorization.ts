/** As the hosts of repositories take an owner's token. */
export const basicAuthorization = (token: string): string =>
  `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
