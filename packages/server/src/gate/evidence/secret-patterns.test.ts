import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { excerpt, label } from './excerpt.ts';
import { findSecrets, redactSecrets } from './secret-patterns.ts';

/** Put together here so that no file of this project holds a token. */
const body = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hI5kL';
const tokens: Array<[string, string]> = [
  ['an AWS access key', `AKIA${'Q7ZK2M5X9B4RT6WY'}`],
  ['a GitHub token', `ghp_${body.slice(0, 36)}`],
  ['a GitLab token', `glpat-${body.slice(0, 20)}`],
  ['a Slack token', `xoxb-${body}`],
  ['a Stripe live key', `sk_live_${body.slice(0, 24)}`],
  ['a Google API key', `AIza${body.slice(0, 35)}`],
  ['an Anthropic key', `sk-ant-${body}`],
  ['an OpenAI key', `sk-proj-${body}`],
  ['an npm token', `npm_${body.slice(0, 36)}`],
  ['an Agora key', `ac_live_${body.slice(0, 32)}`],
  ['a private key', `-----BEGIN RSA ${'PRIVATE'} KEY-----\n${body.repeat(4)}\n`],
];

describe('secrets', () => {
  test.each(tokens)('%s is found and never quoted', (what, token) => {
    expect(findSecrets(`const key = "${token}";`)).toMatchObject([{ what }]);
    expect(redactSecrets(`key: ${token}`)).not.toContain(token.trim());
    expect(excerpt(`key: ${token}`)).toContain(`[${what} removed]`);
    expect(label(`a ${token}`)).not.toContain(token.trim());
  });

  test('session tokens and what stands behind Authorization are never quoted', () => {
    const quoted = [
      `ac_sess_${body}`,
      `Authorization: Bearer ${body}`,
      `{"authorization":"Basic ${body}"}`,
      `curl -H 'authorization: token ${body}'`,
      `with bearer ${body}.${body}`,
    ];
    for (const text of quoted) expect(redactSecrets(text)).not.toContain(body.slice(-10));
    for (const text of [
      'a bearer authentication-scheme',
      'authorization: `Bearer $TOKEN_OF_THE_TEST`',
      'Authorization: Bearer <it>',
    ])
      expect(redactSecrets(text)).toBe(text);
    expect(findSecrets(`Authorization: Bearer ${body}`)).toEqual([]);
  });

  test('documented examples and placeholders are none', () => {
    expect(findSecrets(`AKIA${'IOSFODNN7EXAMPLE'}`)).toEqual([]);
    expect(findSecrets(`ghp_${'x'.repeat(36)}`)).toEqual([]);
    expect(findSecrets('sk_live_ and npm_config_cache and AKIA')).toEqual([]);
  });
});

describe('an excerpt', () => {
  test('is the end of the output, bounded, and fit for a database text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
        const shown = excerpt(text);
        expect(shown.length).toBeLessThanOrEqual(601);
        expect(shown).not.toContain('\0');
        expect(/\p{Surrogate}/u.test(shown)).toBe(false);
      }),
    );
    expect(excerpt(`${'x'.repeat(5000)} the end`)).toMatch(/^…x+ the end$/);
    expect(excerpt('\u001b[31mred\u001b[0m \u0000nul \ud800lone')).toBe('red nul lone');
  });

  test('a secret that is cut by the bound is not shown in part', () => {
    const token = `ghp_${body.slice(0, 36)}`;
    expect(excerpt(`${token}${' '.repeat(10)}${'y'.repeat(580)}`)).not.toContain(token.slice(-10));
  });
});
