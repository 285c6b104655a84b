import { z } from 'zod';

const isTimeZone = (name: string): boolean => {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
};

export const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be a time zone of the IANA database, for example Europe/Berlin')
  .meta({ examples: ['Europe/Berlin'] });
