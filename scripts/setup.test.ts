import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
// @ts-expect-error: the scripts are plain JavaScript, so that they run before anything is installed.
import { installFromLock } from './setup.mjs';

let place: string;
let said: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'agora-setup-'));
  said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
  vi.stubEnv('PATH', `${place}${delimiter}${process.env.PATH}`);
  const packages = { '': {}, 'node_modules/bundler': { optionalDependencies: { '@bundler/arm': '1.2.3' } } };
  writeFileSync(join(place, 'package-lock.json'), JSON.stringify({ packages }));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true });
});

/** An npm whose `ci` misses these packages in the lockfile, and whose `install` succeeds. */
function npmMisses(...packages: string[]): void {
  const lines = packages.map((each) => `echo 'npm error Missing: ${each} from lock file' >&2`);
  writeFileSync(join(place, 'npm'), ['#!/bin/sh', '[ "$1" = ci ] || exit 0', ...lines, 'exit 1'].join('\n'));
  chmodSync(join(place, 'npm'), 0o755);
}

test('set-up goes on without an optional package in the lockfile, and names it', () => {
  npmMisses('@bundler/arm@1.2.3', '@bundler/arm@1.2.3');
  installFromLock(place);
  expect(said).toMatch(/^setup: package-lock\.json does not hold .*: @bundler\/arm@1\.2\.3\n$/);
});

test('set-up ends where the lockfile lacks a package that is needed', () => {
  npmMisses('@bundler/arm@1.2.3', 'needed@2.0.0');
  expect(() => installFromLock(place)).toThrow('npm ci');
  expect(said).not.toContain('setup:');
});
