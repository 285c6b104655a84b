import type { Line } from '../api.ts';

/** Requests to GitHub with a token, or with a signature of the App. */
export const lineTo = (base: string, token: string): Line => ({
  forge: 'github',
  base,
  headers: {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    authorization: `Bearer ${token}`,
  },
});
