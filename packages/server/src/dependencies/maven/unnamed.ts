import { type Coordinates, idOf, type MavenLock } from './lock.ts';

/** What Maven and its test plugins take although no POM names it, so that no lock has it. */

export interface Unnamed extends Coordinates {
  needs: Coordinates[];
}

const surefire = 'org.apache.maven.surefire';
const testPlugins = ['maven-surefire-plugin', 'maven-failsafe-plugin'];

/** What runs tests of a kind has the version of the plugin, and so have its parts. Some versions lack some of them. */
const partsOf: Record<string, string[]> = {
  'surefire-junit4': ['surefire-api', 'common-java5', 'common-junit3', 'common-junit4'],
  'surefire-junit47': [
    ...['surefire-api', 'common-java5', 'common-junit3', 'common-junit4', 'common-junit48', 'surefire-grouper'],
  ],
  'surefire-testng': ['surefire-api', 'common-java5', 'surefire-grouper', 'surefire-testng-utils'],
  'surefire-junit-platform': ['surefire-api', 'common-java5'],
};

export function unnamedBy({ used, plugins }: MavenLock): Unnamed[] {
  const versionOf = (name: string) => used.get(name)?.version;
  const jupiter = versionOf('org.junit.jupiter:junit-jupiter-api');
  const platform =
    versionOf('org.junit.platform:junit-platform-engine') ?? versionOf('org.junit.platform:junit-platform-commons');
  const engine = platform === undefined ? [] : [ofPlatform('engine', platform)];
  const launchers = [
    ...(platform === undefined ? [] : [{ ...ofPlatform('launcher', platform), needs: engine }]),
    ...(jupiter === undefined
      ? []
      : [{ group: 'org.junit.jupiter', artifact: 'junit-jupiter-engine', version: jupiter, needs: engine }]),
  ];
  const runners = [
    ...(versionOf('org.testng:testng') === undefined ? [] : ['surefire-testng']),
    ...(platform === undefined ? [] : ['surefire-junit-platform']),
    ...(versionOf('junit:junit') === undefined || platform !== undefined
      ? []
      : ['surefire-junit4', 'surefire-junit47']),
  ];
  const versions = new Set(plugins.flatMap((each) => (testPlugins.includes(each.artifact) ? [each.version] : [])));
  const found = [...versions].flatMap((version) =>
    runners.flatMap((artifact): Unnamed[] => {
      const parts = partsOf[artifact]!.map((part) => ({ group: surefire, artifact: part, version }));
      const others = artifact === 'surefire-junit-platform' ? [...launchers, ...engine] : [];
      return [{ group: surefire, artifact, version, needs: [...parts, ...others] }, ...parts.map(alone)];
    }),
  );
  const all = [
    ...(plugins.length === 0 ? [] : [alone(oldUtils)]),
    ...found,
    ...(runners.includes('surefire-junit-platform') ? [...launchers, ...engine.map(alone)] : []),
  ];
  return [...new Map(all.map((each) => [idOf(each), each])).values()];
}

const alone = (of: Coordinates): Unnamed => ({ ...of, needs: [] });

const ofPlatform = (part: string, version: string): Coordinates => ({
  ...{ group: 'org.junit.platform', artifact: `junit-platform-${part}`, version },
});

/** Maven 3 gives it to plugins without one of their own. */
const oldUtils = { group: 'org.codehaus.plexus', artifact: 'plexus-utils', version: '1.1' };
