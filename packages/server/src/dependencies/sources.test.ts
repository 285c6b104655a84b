import { describe, expect, test } from 'vitest';
import { problem } from './problems.ts';
import { openSources } from './sources.ts';

/** Which registry a package comes from, and which token an address gets. */

const own = (url: string, packages: string[] = []) => {
  return { kind: 'npm' as const, url, packages, updatedAt: '', authorization: url };
};
const server = 'https://registry.example.org/npm';
const gitlab = (project: number) => `https://gitlab.com/api/v4/projects/${project}/packages/pypi/simple`;
const acme = 'https://npm.acme.com';
const { sourceOf, ownerOf } = openSources(server, [
  ...[own(gitlab(12)), own(gitlab(7)), own(acme, ['@acme/*', 'single'])],
  own('https://registry.example.org/private'),
]);

test.each([
  ['a', null, null],
  ['@acme/a', null, acme],
  ['single', null, acme],
  ['single-not', null, null],
  ['a', `${acme}/a/-/a-1.0.0.tgz`, acme],
  ['a', 'https://NPM.acme.com:443/a/-/a-1.0.0.tgz', acme],
  ['a', `${gitlab(7)}/`, gitlab(7)],
  ['a', 'https://user:token@gitlab.com/api/v4/projects/12/packages/pypi/simple', gitlab(12)],
  // A project that nobody has stored is not asked for at another.
  ['a', gitlab(99), null],
  ['a', 'https://npm.acme.com.evil.example/a.tgz', null],
  ['a', 'https://npm.acme.com@evil.example/a.tgz', null],
  ['a', 'no address', null],
])('%s at %s comes from %s', (name, at, from) => {
  expect(sourceOf(name, at)).toEqual({ url: from ?? server, isPrivate: from !== null });
});

test.each([
  // Files of an index lie beside it.
  ['https://gitlab.com/api/v4/projects/7/packages/pypi/files/0123/a.whl', gitlab(7)],
  ['https://gitlab.com/api/v4/projects/12/packages/pypi/files/0123/a.whl', gitlab(12)],
  [`${server}/a/-/a-1.0.0.tgz`, null],
  ['https://registry.example.org/private/a.tgz', 'https://registry.example.org/private'],
  ['http://npm.acme.com/a.tgz', null],
  ['https://npm.acme.com:8443/a.tgz', null],
  ['https://npm.acme.com@evil.example/a.tgz', null],
])('%s gets the token of %s', (address, of) => {
  expect(ownerOf(address)?.url ?? null).toBe(of);
});

describe('a message about a package', () => {
  test.each(['sparse+https://user:SECRET@example.org/', 'acme @ git+https://SECRET@github.com/acme/a'])(
    'tells no token of %s',
    (from) => {
      const { message } = problem('unknown_registry', { path: 'lock', name: from, from });
      expect(message).not.toContain('SECRET');
      expect(message).toContain('fetch from');
    },
  );
});
