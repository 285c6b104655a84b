import type { z } from 'zod';
import { nearestName } from '../nearest.ts';

/** The values that a setting accepts, in words, where its schema has no message of its own. */
export function accepted(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return `takes a ${issue.expected === 'int' ? 'whole number' : issue.expected}`;
  if (issue.code === 'too_small') {
    if (issue.origin !== 'string') return `takes ${issue.minimum} or more`;
    return issue.minimum === 1 ? 'must not be empty' : `takes ${issue.minimum} characters or more`;
  }
  if (issue.code === 'too_big')
    return `takes ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''} or less`;
  if (issue.code === 'invalid_value') return `takes ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_format' && issue.format === 'url') return 'takes an address such as https://example.com';
  if (issue.code === 'invalid_format' && issue.format === 'datetime') return 'takes a time, as 2026-06-30T00:00:00Z';
  return undefined;
}

/** First words of settings that other programs have as well, in names that may be near to ours. */
const sharedWords = new Set(['HOST', 'PORT', 'DATABASE', 'PUBLIC', 'TRUST', 'LOG', 'S3', 'STRIPE', 'SMTP', 'MAIL']);

function firstWord(name: string): string {
  return name.split('_', 1)[0]!;
}

/** Variables that look like misspelt settings: the setting that was meant would keep its default. */
export function misspelt(env: Record<string, string | undefined>, settings: string[]): string[] {
  const ownWords = new Set(settings.map(firstWord).filter((word) => !sharedWords.has(word)));
  const others = Object.keys(env).filter((name) => !settings.includes(name) && ownWords.has(firstWord(name)));
  return others.flatMap((name) => {
    const meant = nearestName(name, settings);
    return meant === null ? [] : [`${name} is not a setting. Did you mean ${meant}? Rename it or unset it`];
  });
}
