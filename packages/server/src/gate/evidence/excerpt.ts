import { redactSecrets } from './secret-patterns.ts';

const excerptChars = 600;

/** Only the end is looked at before redaction, so that a megabyte of output costs no more than a page. */
const lookBack = 40_000;

/** Terminal colours, and characters that a database text or a terminal would choke on. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes.
const unprintable = /\u001b\[[0-9;?]{0,20}[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]|\p{Surrogate}/gu;

/** Separates the gate's words from the output of a command, which may repeat the buyer's input. */
export const quoting = ' Output ends:\n';

/** The gate's own words, without its quotations. */
export const unquoted = (evidence: string) => evidence.split(quoting)[0] as string;

/** The last part of a command's output, fit to be stored and shown to both parties. */
export function excerpt(text: string, maxChars = excerptChars) {
  const clean = redactSecrets(text.slice(-lookBack)).replace(unprintable, '').trim();
  if (clean.length <= maxChars) return clean;
  return `…${clean.slice(-maxChars).replace(unprintable, '')}`;
}

/** The first part of a text, with its lines, in a form that can be stored and shown to both parties. */
export function opening(text: string, maxChars: number) {
  const clean = redactSecrets(text.slice(0, lookBack)).replace(unprintable, '').trim();
  return clean.length <= maxChars ? clean : `${clean.slice(0, maxChars).replace(unprintable, '')}…`;
}

/** A name or path from either party, on one line. */
export const label = (text: string) => {
  const line = redactSecrets(text.slice(0, 400)).replace(unprintable, '').replace(/\s+/g, ' ').trim();
  return line.length <= 160 ? line : `${line.slice(0, 160).replace(unprintable, '')}…`;
};
