import { type Coordinates, idOf, type MavenLock } from './lock.ts';

/** What Maven and its test plugins take although no POM names it, so that no lock has it. */

export interface Unnamed extends Coordinates {
  needs: Coordinates[];
}

const surefire = 'org.apache.maven.surefire';
const testPlugins = ['maven-surefire-plugin', 'maven-failsafe-plugin'];

/** What runs tests has the version of the plugin, and so have its parts. Some versions lack some of them. */
const partsOf: Record<string, string[]> = {
  'surefire-junit4': ['surefire-api', 'common-java5', 'common-junit3', 'common-junit4'],
  'surefire-junit47': [
    ...['surefire-api', 'common-java5', 'common-junit3', 'common-junit4', 'common-junit48', 'surefire-grouper'],
  ],
  'surefire-testng': ['surefire-api', 'common-java5', 'surefire-grouper', 'surefire-testng-utils'],
  'surefire-junit-platform': ['surefire-api', 'common-java5'],
};

export function unnamedBy({ used, plugins }: MavenLock): Unnamed[] {
  const platform = platformFor(used);
  const ofJUnit4 = used.has('junit:junit') ? ['surefire-junit4', 'surefire-junit47'] : [];
  const runners = [
    ...(used.has('org.testng:testng') ? ['surefire-testng'] : []),
    ...(platform.length > 0 ? ['surefire-junit-platform'] : ofJUnit4),
  ];
  const versions = plugins.filter(({ artifact }) => testPlugins.includes(artifact)).map(({ version }) => version);
  const found = versions.flatMap((version) =>
    runners.flatMap((artifact): Unnamed[] => {
      const parts = partsOf[artifact]!.map((part) => alone({ group: surefire, artifact: part, version }));
      const needs = [...parts, ...(artifact === 'surefire-junit-platform' ? platform : [])];
      return [{ group: surefire, artifact, version, needs }, ...needs];
    }),
  );
  return [...new Map([alone(oldUtils), ...found].map((each) => [idOf(each), each])).values()];
}

/** What starts tests on JUnit's platform, in the version of the project's; nothing where it has none. */
function platformFor(used: MavenLock['used']): Unnamed[] {
  const group = 'org.junit.platform';
  const known = used.get(`${group}:junit-platform-engine`) ?? used.get(`${group}:junit-platform-commons`);
  if (known === undefined) return [];
  const { version } = known;
  const engine = alone({ group, artifact: 'junit-platform-engine', version });
  const api = used.get('org.junit.jupiter:junit-jupiter-api');
  return [
    ...[engine, { group, artifact: 'junit-platform-launcher', version, needs: [engine] }],
    ...(api ? [{ group: api.group, artifact: 'junit-jupiter-engine', version: api.version, needs: [engine] }] : []),
  ];
}

const alone = (of: Coordinates): Unnamed => ({ ...of, needs: [] });

/** Maven 3 gives it to plugins without one of their own. */
const oldUtils = { group: 'org.codehaus.plexus', artifact: 'plexus-utils', version: '1.1' };
