import type { z } from 'zod';
import { nearestName } from '../nearest.ts';
import { readConfig, secrets, settings } from './config.ts';

/** A setting as it counts here. */
export interface EffectiveSetting {
  name: string;
  /** Null where it is not set and has no default. Secrets are masked. */
  value: string | null;
  from: 'environment' | 'default';
  purpose: string;
}

/**
 * Every setting with the value that counts and where that comes from, and what stops the server from using them; null
 * if nothing does.
 */
export function effectiveSettings(env: Record<string, string | undefined> = process.env): {
  settings: EffectiveSetting[];
  problem: string | null;
} {
  const { config, problem } = readable(env);
  const found = Object.entries(settings).map(([name, [schema, purpose]]): EffectiveSetting => {
    const given = env[name];
    if (given) return { name, value: secrets.has(name) ? masked(given) : given, from: 'environment', purpose };
    const fallback = config[name] ?? (schema as z.ZodType).safeParse(undefined).data;
    return { name, value: fallback === undefined ? null : String(fallback), from: 'default', purpose };
  });
  return { settings: found, problem };
}

function readable(env: Record<string, string | undefined>): {
  config: Record<string, unknown>;
  problem: string | null;
} {
  try {
    return { config: readConfig(env), problem: null };
  } catch (error) {
    return { config: {}, problem: (error as Error).message };
  }
}

/** Of an address everything but the password and what follows the path, else nothing. */
function masked(secret: string): string {
  if (!secret.includes('://') || !URL.canParse(secret)) return '***';
  const { protocol, username, password, host, pathname } = new URL(secret);
  const user = username === '' ? '' : `${username}${password === '' ? '' : ':***'}@`;
  return `${protocol}//${user}${host}${pathname}`;
}

/** The setting that an option such as `port` or `data-dir` of a command line means; null if none is near. */
export function settingNamed(option: string): string | null {
  const name = option.toUpperCase().replaceAll('-', '_');
  const known = Object.keys(settings);
  return known.find((each) => each === name || each === `AGORA_${name}`) ?? nearestName(name, known);
}
