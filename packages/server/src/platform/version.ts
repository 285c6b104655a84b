import { readFileSync } from 'node:fs';

/** The version of the package, from source and from the build alike. */
export const packageVersion: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;
