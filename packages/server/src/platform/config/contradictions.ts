import type { Role } from '../roles.ts';

/** Settings that are right each for itself and may contradict one another. */
interface Given {
  REFUND_WINDOW_MS: number;
  EARNINGS_HOLD_MS: number;
  JUDGE_BASE_URL?: string | undefined;
  JUDGE_MODEL?: string | undefined;
  SMTP_URL?: string | undefined;
  MAIL_FROM?: string | undefined;
  EMAIL_VERIFICATION: string;
  TURNSTILE_SITE_KEY?: string | undefined;
  TURNSTILE_SECRET_KEY?: string | undefined;
  GITHUB_APP_ID?: string | undefined;
  GITHUB_APP_PRIVATE_KEY?: string | undefined;
  GITHUB_APP_WEBHOOK_SECRET?: string | undefined;
  GITHUB_CLIENT_ID?: string | undefined;
  OUTBOUND_ALLOW_LOOPBACK: boolean;
  S3_SSE?: string | undefined;
  S3_SSE_KMS_KEY_ID?: string | undefined;
  AGORA_ENV: string;
  ROLES?: readonly Role[] | undefined;
  S3_BUCKET?: string | undefined;
}

/** What is wrong with settings together. One that is already among the problems of its own is left out. */
export function contradictions(given: Given, problems: readonly string[]): string[] {
  const found: string[] = [];
  const isHalf = (first: unknown, second: unknown, names: RegExp) =>
    (first === undefined) !== (second === undefined) && !problems.some((each) => names.test(each));
  if (given.REFUND_WINDOW_MS >= given.EARNINGS_HOLD_MS) {
    found.push('REFUND_WINDOW_MS must be less than EARNINGS_HOLD_MS, for a refund takes back what is still held');
  }
  if (isHalf(given.JUDGE_BASE_URL, given.JUDGE_MODEL, /^JUDGE_/)) {
    found.push('JUDGE_BASE_URL and JUDGE_MODEL go together: set both, or none for a gate without a judge');
  }
  if (isHalf(given.SMTP_URL, given.MAIL_FROM, /^(SMTP|MAIL)_/)) {
    found.push('SMTP_URL and MAIL_FROM go together: set both, or none for a service without a mail server');
  }
  if (given.EMAIL_VERIFICATION === 'required' && given.AGORA_ENV === 'production' && given.SMTP_URL === undefined) {
    found.push(
      'EMAIL_VERIFICATION=required needs SMTP_URL in production, for nobody can verify an address without mail',
    );
  }
  if (isHalf(given.TURNSTILE_SITE_KEY, given.TURNSTILE_SECRET_KEY, /^TURNSTILE_/)) {
    found.push('TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY go together: set both, or none for no challenges');
  }
  const { GITHUB_APP_ID: app, GITHUB_APP_PRIVATE_KEY: key, GITHUB_APP_WEBHOOK_SECRET: secret } = given;
  const ofApp = [app, key, secret, app === undefined ? undefined : given.GITHUB_CLIENT_ID];
  if (new Set(ofApp.map((value) => value !== undefined)).size > 1 && !problems.some((each) => /^GITHUB_/.test(each))) {
    found.push(
      'GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY, GITHUB_APP_WEBHOOK_SECRET and GITHUB_CLIENT_ID go together: set all, or no App',
    );
  }
  if (given.S3_SSE_KMS_KEY_ID !== undefined && given.S3_SSE !== 'aws:kms' && !problems.some((p) => /^S3_SSE/.test(p))) {
    found.push('S3_SSE_KMS_KEY_ID needs S3_SSE=aws:kms');
  }
  if (given.ROLES?.includes('sandboxes') && !given.ROLES.includes('gate') && given.S3_BUCKET === undefined) {
    found.push(
      'ROLES with sandboxes needs gate as well, for without S3_BUCKET deliveries lie on the disk of the server that took them: add the role, or set S3_BUCKET',
    );
  }
  if (given.OUTBOUND_ALLOW_LOOPBACK && given.AGORA_ENV === 'production') {
    found.push(
      'OUTBOUND_ALLOW_LOOPBACK must not be set in production, for it lets users reach services of this machine',
    );
  }
  return found;
}
