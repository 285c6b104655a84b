import type { Coordinates, LockedFile, Need } from './lock.ts';

/** How a repository of Maven lays its files out, and what it says of them. */

/** Types that are told apart from jars by more than the names of their files. */
const ofJars = ['test-jar', 'maven-plugin', 'ejb', 'ejb-client', 'java-source', 'javadoc', 'bundle', 'eclipse-plugin'];

export function pathOf({ group, artifact, version, classifier, type }: Omit<LockedFile, 'at' | 'integrity'>): string {
  const end = classifier === '' ? '' : `-${classifier}`;
  const extension = ofJars.includes(type) ? 'jar' : type;
  return `${directoryOf({ group, artifact, version })}/${artifact}-${version}${end}.${extension}`;
}

const directoryOf = ({ group, artifact, version }: Coordinates) => [...group.split('.'), artifact, version].join('/');

export const pomPathOf = (of: Coordinates): string => pathOf({ ...of, classifier: '', type: 'pom' });

/**
 * A POM with what the lock says of a package, and nothing else: Maven finds the tree of the lock again, whatever the package's
 * own POM and its parents say. No part of it needs escapes.
 */
export function pomOf({ group, artifact, version }: Coordinates, needs: readonly Need[]): string {
  const dependencies = needs.map(
    (need) =>
      `<dependency><groupId>${need.group}</groupId><artifactId>${need.artifact}</artifactId><version>${need.version}</version>` +
      `${need.classifier === '' ? '' : `<classifier>${need.classifier}</classifier>`}<type>${need.type}</type>` +
      `<scope>${need.scope}</scope></dependency>\n`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>
<dependencies>
${dependencies.join('')}</dependencies>
</project>
`;
}
