import { describe, expect, test } from 'vitest';
import { lockedJar, mavenLock, type TestJar } from '../../../test/support/maven.ts';
import { openSources } from '../sources.ts';
import { maven } from './ecosystem.ts';

/** What Maven finds of a lock: the files that it takes, and what their POMs say. */

const registry = 'https://repo1.maven.org/maven2';

/** What is fetched, without the hosts' beginning; and the dependencies in POMs, by their paths. */
const laidOut = (...locks: string[]) => laidOutFrom([], locks);

/** `unnamed`: files whose hashes the registry says. */
async function laidOutFrom(unnamed: string[], locks: string[]) {
  const found = await maven.wantedOf(
    { directory: '', locks: locks.map((text, n) => ({ path: `${n}/lockfile.json`, text })), manifests: [] },
    {
      ...{ registry, versions: 'Apache Maven 3.9.9', projects: [], runsScripts: true, ...openSources(registry, []) },
      ask: async (url) => {
        const isThere = unnamed.some((name) => url.endsWith(`/${name}.sha1`));
        return isThere ? { text: `${'0'.repeat(40)}  a file\n`, type: 'text/plain' } : null;
      },
      inTurn: async (items, work) => {
        for (const item of items) await work(item);
      },
    },
  );
  const poms = (found.inputs ?? []).map(({ path, content }) => {
    const needs = [...content.toString().matchAll(/<dependency>.*<\/dependency>/g)].map(([line]) =>
      [...line.matchAll(/>([^<]+)</g)].map(([, text]) => text).join(' '),
    );
    return [path.replace(/^.*\//, ''), needs] as const;
  });
  const files = (found.wanted ?? []).map(({ url, place }) => {
    expect(url).toBe(`${registry}/${place.replace('maven/', '')}`);
    return place.replace(/^.*\//, '');
  });
  return { problems: found.problems, files: files.sort(), poms: Object.fromEntries(poms) };
}

const jar = (name: string, needs: TestJar[] = [], scope = 'compile'): TestJar => {
  const [artifact, version = '1'] = name.split(' ');
  return { id: `g:${artifact}:${version}`, content: name, needs, scope };
};
const plugin = jar('plugin');

test('a package has the version that was chosen, and what was only looked at is not fetched', async () => {
  const old = { ...lockedJar(jar('b 1')), selectedVersion: '2', included: false };
  const lock = mavenLock([], [plugin], {
    dependencies: [{ ...lockedJar(jar('a')), children: [old] }, lockedJar(jar('b 2', [jar('c')]))],
  });
  expect(await laidOut(lock)).toEqual({
    ...{ problems: [], files: ['a-1.jar', 'b-2.jar', 'c-1.jar', 'plugin-1.jar'] },
    poms: { 'a-1.pom': ['g b 2 jar compile'], 'b-2.pom': ['g c 1 jar compile'], 'c-1.pom': [], 'plugin-1.pom': [] },
  });
});

test('of a version that the lock does not have, the package keeps its own', async () => {
  const lock = mavenLock([], [plugin], {
    dependencies: [{ ...lockedJar(jar('a')), children: [{ ...lockedJar(jar('b 1')), selectedVersion: '2' }] }],
  });
  expect((await laidOut(lock)).files).toEqual(['a-1.jar', 'b-1.jar', 'plugin-1.jar']);
});

test('a package is whole where one of its places in the trees has less of it', async () => {
  const lock = mavenLock([jar('a', [jar('c')]), jar('c', [jar('d')])], [jar('plugin', [jar('a', [jar('e')])])]);
  const { poms } = await laidOut(lock);
  expect(poms).toMatchObject({
    'a-1.pom': ['g c 1 jar compile', 'g e 1 jar compile'],
    ...{ 'c-1.pom': ['g d 1 jar compile'], 'plugin-1.pom': ['g a 1 jar compile'] },
  });
});

test('what tests need is needed by what they use, and what only runs is not compiled with', async () => {
  const lock = mavenLock([jar('a', [jar('b', [], 'test'), jar('c', [], 'runtime')], 'test')], [plugin]);
  expect((await laidOut(lock)).poms['a-1.pom']).toEqual(['g b 1 jar compile', 'g c 1 jar runtime']);
});

test('what a plugin was compiled or tested with is left out, but for what it needs of it', async () => {
  const needed = jar('needed');
  const lock = mavenLock(
    [],
    [jar('plugin', [needed, jar('core', [jar('needed', [jar('more')])], 'provided'), jar('t', [], 'test')])],
  );
  expect(await laidOut(lock)).toEqual({
    ...{ problems: [], files: ['more-1.jar', 'needed-1.jar', 'plugin-1.jar'] },
    poms: { 'plugin-1.pom': ['g needed 1 jar compile'], 'needed-1.pom': ['g more 1 jar compile'], 'more-1.pom': [] },
  });
});

test('a package can have several files, and types that are jars', async () => {
  const file = (more: object) => ({ ...lockedJar(jar('a')), ...more });
  const tests = file({ classifier: 'tests', type: 'test-jar' });
  const lock = mavenLock([], [plugin], {
    dependencies: [
      file({}),
      { ...lockedJar(jar('b')), children: [tests] },
      file({ type: 'zip' }),
      file({ type: 'pom' }),
    ],
  });
  const { files, poms } = await laidOut(lock);
  expect(files).toEqual(['a-1-tests.jar', 'a-1.jar', 'a-1.zip', 'b-1.jar', 'plugin-1.jar']);
  expect(poms['b-1.pom']).toEqual(['g a 1 tests test-jar compile']);
});

test('parents of the project and what they import are taken as the registry has them', async () => {
  const pom = (name: string, more = {}) => {
    const { scope: _, children: _none, included: _in, ...locked } = lockedJar(jar(name));
    return { ...locked, ...more };
  };
  const lock = mavenLock([jar('a')], [plugin], {
    pom: {
      ...pom('shop', { resolved: undefined }),
      parent: pom('parent', { parent: pom('above'), boms: [pom('bom')] }),
    },
    boms: [pom('other'), pom('a')],
  });
  const { files, poms } = await laidOut(lock);
  expect(files).toEqual([
    ...['a-1.jar', 'a-1.pom', 'above-1.pom', 'bom-1.pom', 'other-1.pom', 'parent-1.pom', 'plugin-1.jar'],
  ]);
  expect(Object.keys(poms)).toEqual(['plugin-1.pom']);
});

test('of several modules, that of the first lock says the version, and none is fetched itself', async () => {
  const module = (artifactId: string, dependencies: TestJar[]) =>
    mavenLock(dependencies, [plugin], { groupId: 'g', artifactId, version: '1' });
  const { files, poms } = await laidOut(
    module('one', [jar('a', [jar('b 1')])]),
    module('two', [jar('one', [jar('a', [jar('b 2')])])]),
  );
  expect(files).toEqual(['a-1.jar', 'b-1.jar', 'plugin-1.jar']);
  expect(poms).toEqual({ 'a-1.pom': ['g b 1 jar compile'], 'b-1.pom': [], 'plugin-1.pom': [] });
});

test('packages that need each other, and a lock of any depth, come to an end', async () => {
  const { files } = await laidOut(mavenLock([jar('a', [jar('b', [jar('a')])])], [plugin]));
  expect(files).toEqual(['a-1.jar', 'b-1.jar', 'plugin-1.jar']);
  const [head, tail] = [JSON.stringify({ ...lockedJar(jar('a')), children: [0] }).split('0]}'), ']}'];
  const deep = mavenLock([], [plugin], { dependencies: [1] }).replace(
    '"dependencies":[1]',
    `"dependencies":[${head[0]!.repeat(20_000)}${tail.repeat(20_000)}]`,
  );
  expect((await laidOut(deep)).files).toEqual(['a-1.jar', 'plugin-1.jar']);
});

test('the oldest locks name packages by an ID, and say neither where they come from nor which was chosen', async () => {
  const { groupId: groupID, artifactId: artifactID, resolved: _, selectedVersion: _s, ...old } = lockedJar(jar('a'));
  const lock = mavenLock([], [plugin], { dependencies: [{ ...old, groupID, artifactID }] });
  expect((await laidOut(lock)).files).toEqual(['a-1.jar', 'plugin-1.jar']);
});

describe('what runs tests, which no POM names,', () => {
  const lib = (id: string, needs: TestJar[] = []): TestJar => ({ id, content: id, needs });
  const surefire = (...needs: TestJar[]) => lib('org.apache.maven.plugins:maven-surefire-plugin:3.5.4', needs);
  const part = (name: string) => lib(`org.apache.maven.surefire:${name}:3.5.4`);
  const jupiter = lib('org.junit.jupiter:junit-jupiter-api:5.12.1', [
    lib('org.junit.platform:junit-platform-commons:1.12.1'),
  ]);

  test.each<[string, string, TestJar, string[]]>([
    [
      'junit4',
      'JUnit 4',
      lib('junit:junit:4.13.2'),
      ['common-java5-3.5.4', 'common-junit3-3.5.4', 'common-junit4-3.5.4'],
    ],
    ['testng', 'TestNG', lib('org.testng:testng:7.11.0'), ['common-java5-3.5.4', 'surefire-testng-utils-3.5.4']],
    [
      ...(['junit-platform', 'JUnit 5', jupiter] as const),
      [
        'common-java5-3.5.4',
        ...['engine', 'launcher'].map((each) => `junit-platform-${each}-1.12.1`),
        'junit-jupiter-engine-5.12.1',
      ],
    ],
  ])('is surefire-%s of %s, with those of its parts that the registry has', async (name, _, framework, parts) => {
    const runner = `surefire-${name}-3.5.4`;
    const lock = mavenLock([framework], [surefire(part('surefire-api'))]);
    const bare = await laidOut(lock);
    const whole = await laidOutFrom(
      [runner, ...parts].map((each) => `${each}.jar`),
      [lock],
    );
    const added = whole.files.filter((each) => !bare.files.includes(each));
    expect(added).toEqual([runner, ...parts].map((each) => `${each}.jar`).sort());
    const needed = whole.poms[`${runner}.pom`]!.map((need) => need.split(' ').slice(1, 3).join('-'));
    expect(needed.sort()).toEqual([...parts, 'surefire-api-3.5.4'].sort());
  });

  test('is what the lock says where the lock has it', async () => {
    const runner = part('surefire-junit4');
    const lock = mavenLock([lib('junit:junit:4.13.2')], [surefire(part('common-java5'), runner)]);
    const { files, poms } = await laidOutFrom(['surefire-junit4-3.5.4.jar', 'common-junit4-3.5.4.jar'], [lock]);
    expect(files.filter((each) => each.startsWith('surefire-junit4-'))).toHaveLength(1);
    expect(poms['surefire-junit4-3.5.4.pom']).toEqual([]);
  });
});
