import { createHash } from 'node:crypto';

/** A package of Maven as a registry has it, with what it needs. */
export interface TestJar {
  /** Group, artifact and version, with colons between. */
  id: string;
  content: string | Buffer;
  needs?: TestJar[];
  scope?: string;
}

const digest = (algorithm: string, content: string | Buffer) => createHash(algorithm).update(content).digest('hex');

export function jarPath({ id }: Pick<TestJar, 'id'>): string {
  const [group, artifact, version] = id.split(':') as [string, string, string];
  return `/${group.replaceAll('.', '/')}/${artifact}/${version}/${artifact}-${version}.jar`;
}

/** Each with the hash that a registry says of it. */
export const jarFiles = (jars: readonly TestJar[]) =>
  new Map<string, string | Buffer>(
    jars.flatMap((jar) => [
      [jarPath(jar), jar.content],
      [`${jarPath(jar)}.sha1`, digest('sha1', jar.content)],
    ]),
  );

export function lockedJar(jar: TestJar): Record<string, unknown> {
  const [groupId, artifactId, version] = jar.id.split(':');
  return {
    ...{ groupId, artifactId, version, scope: jar.scope ?? 'compile', included: true, selectedVersion: version },
    ...{ checksumAlgorithm: 'SHA-256', checksum: digest('sha256', jar.content) },
    ...{ resolved: `https://repo.maven.apache.org/maven2${jarPath(jar)}`, repositoryId: 'central' },
    children: (jar.needs ?? []).map(lockedJar),
  };
}

/** The lock of a project `shop`. */
export function mavenLock(dependencies: readonly TestJar[], plugins: readonly TestJar[] = [], more = {}): string {
  const mavenPlugins = plugins.map((plugin) => {
    const { children, scope: _, ...locked } = lockedJar(plugin);
    return { ...locked, dependencies: children };
  });
  const project = { groupId: 'com.example', artifactId: 'shop', version: '1.0.0' };
  const pom = { ...project, relativePath: 'pom.xml', checksumAlgorithm: 'SHA-256', checksum: '0'.repeat(64) };
  return JSON.stringify({
    ...{ ...project, pom, lockFileVersion: 1 },
    ...{ dependencies: dependencies.map(lockedJar), mavenPlugins, mavenExtensions: [] },
    ...more,
  });
}
