#!/usr/bin/env -S node --max-semi-space-size=64
// npm links this file when it installs, which is before the sources are compiled.
import { existsSync } from 'node:fs';

const newer = await import('./newer.mjs');
if (!newer.isNewEnough() && !(await newer.continueOnNewer())) {
  process.stderr.write(`agora: ${newer.refusal}\n`);
  process.exit(1);
}
const main = new URL('../dist/main.js', import.meta.url);
if (!existsSync(main)) {
  process.stderr.write('agora: the sources are not compiled yet. Run `npm run setup`, then try again.\n');
  process.exit(1);
}
newer.keepCompiled();
await import(main.href);
