export const privateKey = 'a private key';

/** Well-known token shapes. Each is anchored by a literal prefix and bounded, so matching stays linear. */
const patterns: ReadonlyArray<readonly [what: string, pattern: RegExp]> = [
  ['an AWS access key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})/g],
  ['a GitLab token', /\bglpat-[A-Za-z0-9_-]{20,255}(?:\.[A-Za-z0-9]{2}\.[A-Za-z0-9]{9})?/g],
  ['a Slack token', /\bxox[abprs]-[A-Za-z0-9-]{20,255}/g],
  ['a Stripe live key', /\b(?:sk|rk)_live_[A-Za-z0-9]{20,255}/g],
  ['a Google API key', /\bAIza[A-Za-z0-9_-]{35}/g],
  ['an Anthropic key', /\bsk-ant-[A-Za-z0-9_-]{24,255}/g],
  ['an OpenAI key', /\bsk-(?:proj|svcacct)-[A-Za-z0-9_-]{24,255}/g],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}/g],
  ['a SendGrid key', /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/g],
  ['an Agora key', /\bac_(?:live|dev|sess|mail)_[A-Za-z0-9_-]{20,255}/g],
  [privateKey, /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{64,16000}/g],
];

/** What is never quoted, but is no finding either: code that sends a made-up token to its own tests has it too. */
const neverQuoted: typeof patterns = [
  ['an authorization', /\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4}[\w.~+/=-]{8,2000}/gi],
  ['an authorization', /\bbearer {1,4}(?=[A-Za-z._~+/-]{0,200}\d)[\w.~+/=-]{16,2000}/gi],
];

/** An extended regular expression for grep: the prefixes of all patterns, to find candidate files cheaply. */
export const secretPrefixes =
  '(AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|[sr]k_live_|AIza|sk-ant-|sk-proj-|sk-svcacct-|npm_|SG\\.|ac_(live|dev|sess|mail)_|PRIVATE KEY-----)';

const anyPrefix = new RegExp(secretPrefixes);

export interface FoundSecret {
  what: string;
  token: string;
}

/** Placeholders are no secrets, for example the documented AWS example key or `ghp_xxxxxxxx`. */
const isPlaceholder = (token: string) => /example|placeholder|your[-_]/i.test(token) || new Set(token).size < 10;

export function findSecrets(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  // One pass for all prefixes spares ordinary text the dozen passes below.
  if (!anyPrefix.test(text)) return found;
  for (const [what, pattern] of patterns) {
    for (const match of text.matchAll(pattern)) if (!isPlaceholder(match[0])) found.push({ what, token: match[0] });
  }
  return found;
}

/** Blanks every token, placeholders included, so that what is quoted has none. */
export function redactSecrets(text: string) {
  let clean = text;
  for (const [what, pattern] of [...patterns, ...neverQuoted]) clean = clean.replace(pattern, `[${what} removed]`);
  return clean;
}
