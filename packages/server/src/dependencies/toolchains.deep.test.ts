import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fit } from '../../../cli/src/operator/toolchains/fit.ts';
import { composerFiles, composerLock, type TestPhpPackage } from '../../test/support/composer.ts';
import { cargoLock, crateFiles, type TestCrate } from '../../test/support/crates.ts';
import { unpackDebian } from '../../test/support/debian-programs.ts';
import { gemFiles, gemLock, type TestGem } from '../../test/support/gems.ts';
import { goSum, moduleFiles, type TestModule } from '../../test/support/go-modules.ts';
import { jarFiles, jarPath, mavenLock, type TestJar } from '../../test/support/maven.ts';
import { startPackageRegistry } from '../../test/support/package-registry.ts';
import { createLog, readConfig, systemClock } from '../platform/index.ts';
import { BwrapDriver } from '../sandbox/bwrap/bwrap.ts';
import { DEFAULT_LIMITS, encodeArchive, type SandboxStart, type Toolchain } from '../sandbox/index.ts';
import { createDependencies } from './dependencies.ts';
import { fileEntry } from './entries.ts';

/** The tools themselves, in sandboxes without network: they install, and the project's own tests find its packages. */

const home = await mkdtemp(join(tmpdir(), 'agora-toolchains-'));
const driver = new BwrapDriver({ installationId: `test-toolchains-${process.pid}` });
const ends: (() => unknown)[] = [() => driver.forget(), () => rm(home, { recursive: true })];
afterAll(async () => {
  for (const end of ends) await end();
});
const limits = { ...DEFAULT_LIMITS, diskBytes: 1e9, memoryBytes: 2e9, maxExecMs: 120_000 };
const unpacked = new Map<string, ReturnType<typeof unpackDebian>>();
let opened = 0;

/** What a command prints over these files, with the packages that their lock names and the programs of Debian. */
async function says(
  [kind, url]: [kind: string, url: string],
  { packages, ...known }: { packages: string[] } & Partial<Pick<Toolchain, 'programs' | 'variables'>>,
  files: Record<string, string>,
  command: string,
) {
  const tools = unpacked.get(kind) ?? unpackDebian(packages);
  if (!unpacked.has(kind)) ends.push(tools.remove);
  unpacked.set(kind, tools);
  const brings = { ...(await fit(tools.directory, `/opt/tools/${kind}`)), ...known };
  const start = { toolchains: [{ name: kind, version: '1', directory: tools.directory, ...brings }] };
  const open = (begins: SandboxStart = {}) => driver.create(`toolchain-${opened++}`, limits, begins);
  const { prepare } = await createDependencies({
    ...{ clock: systemClock, log: createLog('silent'), stopping: new AbortController().signal, book: () => {} },
    config: readConfig({ DEPENDENCY_REGISTRIES: `${kind}=${url}`, AGORA_DATA_DIR: join(home, `${opened}`) }),
    disk: { shortage: async () => null, requireRoom: async () => {}, noteFull: () => {} },
    openSandbox: open,
  });
  const content = Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text) }));
  const { layer, problems } = await prepare({ ownerId: 'owner', isOwners: true, files: content, start, setup: null });
  expect(problems).toEqual([]);
  const box = await open({ ...start, layer: layer! });
  try {
    await box.importWorkspace(await encodeArchive(Object.entries(files).map(([path, text]) => fileEntry(path, text))));
    const { exitCode, stdout, stderr } = await box.exec({ command, timeoutMs: 120_000 });
    return { exitCode, printed: stdout + stderr };
  } finally {
    await box.destroy();
  }
}

const goMod =
  'module example.com/shop\n\ngo 1.17\n\nrequire (\n\texample.com/Letter v0.1.0 // indirect\n\texample.com/word/v2 v2.0.1\n)\n';
const goTest =
  'package shop\n\nimport (\n\t"testing"\n\t"example.com/word/v2/deep"\n)\n\nfunc TestSay(t *testing.T) {\n\tif deep.Say() != "ab" {\n\t\tt.Fatal(deep.Say())\n\t}\n}\n';

test.each([
  ['a module', '.', {}],
  [
    'a workspace',
    'shop',
    { 'go.work': 'go 1.18\n\nuse (\n\t./shop\n\t./tool\n)\n', 'tool/go.mod': 'module example.com/tool\n' },
  ],
])('go test in %s finds modules, of which one needs another', async (_, directory, more) => {
  const letter: TestModule = {
    ...{ module: 'example.com/Letter', version: 'v0.1.0' },
    files: { 'letter.go': 'package letter\n\nconst A = "a"\n' },
  };
  const word: TestModule = {
    ...{ module: 'example.com/word/v2', version: 'v2.0.1', requires: ['example.com/Letter v0.1.0'] },
    files: {
      'deep/deep.go':
        'package deep\n\nimport letter "example.com/Letter"\n\nfunc Say() string { return letter.A + "b" }\n',
    },
  };
  const registry = await startPackageRegistry(moduleFiles([letter, word]));
  ends.push(registry.close);
  const files = {
    ...more,
    [join(directory, 'go.mod')]: goMod,
    [join(directory, 'go.sum')]: goSum([letter, word]),
    [join(directory, 'shop_test.go')]: goTest,
  };
  const debian = { packages: ['golang-1.19-go', 'golang-1.19-src'], programs: ['usr/lib/go-1.19/bin'], variables: {} };
  // What was compiled ahead is not compiled again.
  const command = `cd ${directory} && go build -v example.com/word/v2/deep && go mod download && go vet ./... && go test ./...`;
  expect(await says(['go', registry.url], debian, files, command)).toEqual({
    exitCode: 0,
    printed: expect.stringMatching(/^ok\s+example\.com\/shop\s[^\n]*\n$/),
  });
});

test('cargo test finds crates', async () => {
  const letter: TestCrate = { name: 'letter', version: '0.1.0', files: { 'src/lib.rs': 'pub const A: &str = "a";\n' } };
  const registry = await startPackageRegistry(crateFiles([letter]));
  ends.push(registry.close);
  const files = {
    'Cargo.toml': '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2018"\n\n[dependencies]\nletter = "0.1"\n',
    'Cargo.lock': cargoLock([letter]),
    'src/lib.rs': '#[test]\nfn says() {\n    assert_eq!(letter::A, "a");\n}\n',
  };
  const debian = {
    packages: [
      'cargo',
      'rustc',
      'libstd-rust-1.63',
      'libstd-rust-dev',
      'libllvm14',
      'libgit2-1.5',
      'libssh2-1',
      'libhttp-parser2.9',
      'libmbedcrypto7',
      'libmbedtls14',
      'libmbedx509-1',
      'libedit2',
      'libxml2',
      'libbsd0',
      'libz3-4',
      'libicu72',
      'libmd0',
      'libcurl3-gnutls',
    ],
    programs: ['usr/bin'],
    variables: { LD_LIBRARY_PATH: '{}/usr/lib/x86_64-linux-gnu' },
  };
  expect(await says(['cargo', registry.url], debian, files, 'cargo test --locked')).toEqual({
    exitCode: 0,
    printed: expect.stringContaining('1 passed'),
  });
});

test('bundle exec finds gems, also one that is compiled, with the lock of a newer Bundler', async () => {
  const letter: TestGem = {
    name: 'letter',
    version: '1.0.0',
    files: { 'lib/letter.rb': "module Letter; A = 'a'; end\n" },
  };
  const makefile = "File.write('Makefile', \"all clean install:\\n\\techo 'B = 98.chr' > ../lib/compiled.rb\\n\")\n";
  const compiled: TestGem = {
    ...{ name: 'compiled', version: '2.0.0', extensions: ['ext/extconf.rb'] },
    files: { 'ext/extconf.rb': makefile, 'lib/.keep': '' },
  };
  const runner: TestGem = {
    ...{ name: 'runner', version: '0.1.0', executables: ['say'], requires: ['letter', 'compiled'] },
    files: { 'bin/say': "#!/usr/bin/env ruby\nrequire 'letter'\nrequire 'compiled'\nputs Letter::A + B\n" },
  };
  const gems = [letter, compiled, runner];
  const registry = await startPackageRegistry(gemFiles(gems));
  ends.push(registry.close);
  const files = {
    Gemfile: "source 'https://rubygems.org'\ngemspec\n",
    'shop.gemspec':
      "require_relative 'lib/shop'\nGem::Specification.new { |s| s.name = 'shop'; s.version = SHOP; s.summary = 's'; s.authors = ['a']; s.add_dependency 'runner' }\n",
    'lib/shop.rb': "SHOP = '1.0.0'\n",
    'Gemfile.lock': gemLock(gems, { own: 'shop (1.0.0)', needs: ['runner'] }),
    '.bundle/config': '---\nBUNDLE_PATH: "elsewhere"\n',
  };
  const debian = { packages: [...ofRuby] };
  const command = 'cp Gemfile.lock /tmp && bundle exec say 2> /dev/null && cmp Gemfile.lock /tmp/Gemfile.lock && ls -A';
  const left = ['.agora-gems', '.bundle', 'Gemfile', 'Gemfile.lock', 'lib', 'shop.gemspec'];
  expect(await says(['gem', registry.url], debian, files, command)).toEqual({
    exitCode: 0,
    printed: `${['ab', ...left].join('\n')}\n`,
  });
});

const ofRuby = [
  ...['ruby', 'ruby3.1', 'libruby', 'libruby3.1', 'bundler', 'ruby-bundler', 'ruby-rubygems', 'rubygems-integration'],
  ...['rake', 'libyaml-0-2', 'libgmp10', 'libffi8', 'libssl3', 'libreadline8', 'libncurses6', 'libtinfo6'],
];

test('composer install fills vendor, and the project’s own classes are found', async () => {
  const letter: TestPhpPackage = {
    ...{ name: 'made/letter', version: '1.0.0', manifest: { autoload: { 'psr-4': { 'Letter\\': 'src/' } } } },
    files: { 'src/A.php': "<?php namespace Letter; class A { const IT = 'a'; }\n" },
  };
  const runner: TestPhpPackage = {
    ...{ name: 'made/runner', version: '2.1.0', shasum: true, manifest: { bin: ['say'] } },
    files: {
      say: '#!/usr/bin/env php\n<?php require $_composer_autoload_path; echo Letter\\A::IT, Shop\\B::IT, "\\n";\n',
    },
  };
  const registry = await startPackageRegistry(composerFiles([letter, runner]));
  ends.push(registry.close);
  const files = {
    'composer.json': JSON.stringify({
      require: { 'made/letter': '^1.0' },
      'require-dev': { 'made/runner': '^2.0' },
      autoload: { 'psr-4': { 'Shop\\': 'src/' }, classmap: ['old/'] },
      scripts: { 'post-install-cmd': 'false' },
    }),
    'composer.lock': composerLock([letter], [runner]),
    'src/B.php': "<?php namespace Shop; class B { const IT = 'b'; }\n",
  };
  const debian = { packages: ofPhp };
  expect(await says(['composer', registry.url], debian, files, 'vendor/bin/say && ls -A')).toEqual({
    exitCode: 0,
    printed: 'ab\ncomposer.json\ncomposer.lock\nsrc\nvendor\n',
  });
});

const ofPhp = [
  ...['php8.2-cli', 'php8.2-common', 'php8.2-mbstring', 'composer', 'unzip', 'libargon2-1', 'libedit2', 'libsodium23'],
  ...[
    'libbsd0',
    'libmd0',
    'libxml2',
    'libicu72',
    'libonig5',
    'php-composer-ca-bundle',
    'php-composer-class-map-generator',
  ],
  ...['php-composer-metadata-minifier', 'php-composer-pcre', 'php-composer-semver', 'php-composer-spdx-licenses'],
  ...['php-composer-xdebug-handler', 'php-json-schema', 'php-psr-container', 'php-psr-log', 'php-react-promise'],
  ...['php-seld-signal-handler', 'php-symfony-console', 'php-symfony-deprecation-contracts', 'php-symfony-filesystem'],
  ...['php-symfony-finder', 'php-symfony-process', 'php-symfony-service-contracts', 'php-symfony-string', 'jsonlint'],
];

/** By what Debian calls their versions, where many need them. */
const jarsOfMaven = [
  ...['org.ow2.asm:asm:9.4', 'com.thoughtworks.qdox:qdox:2.0.3', 'commons-io:commons-io:2.11.0'],
  ...['org.apache.commons:commons-lang3:3.12.0', 'org.codehaus.plexus:plexus-utils:3.4.2'],
  ...['org.codehaus.plexus:plexus-java:1.1.1', 'org.codehaus.plexus:plexus-interpolation:1.26'],
  ...['api', 'manager', 'javac'].map((part) => `org.codehaus.plexus:plexus-compiler-${part}:2.12.1`),
  ...['shared-utils:3.3.4', 'shared-incremental:1.1', 'filtering:3.3.0', 'common-artifact-filters:3.3.2'].map(
    (part) => `org.apache.maven.shared:maven-${part}`,
  ),
  'org.sonatype.plexus:plexus-build-api:0.0.7',
];
const ofSurefire = (...parts: string[]) => parts.map((part) => `org.apache.maven.surefire:${part}:2.22.3`);

const debiansJars = [
  ...['junit4', 'libhamcrest-java', 'junit5', 'libapiguardian-java', 'libopentest4j-java', 'libsurefire-java'],
  ...['libmaven-compiler-plugin-java', 'libmaven-resources-plugin-java', 'libplexus-compiler-java', 'libasm-java'],
  ...['libplexus-languages-java', 'libqdox2-java', 'libmaven-shared-utils-java', 'libmaven-shared-incremental-java'],
  ...['libmaven-filtering-java', 'libmaven-common-artifact-filters-java', 'libplexus-utils2-java'],
  ...['libplexus-interpolation-java', 'libplexus-build-api-java', 'libcommons-io-java', 'libcommons-lang3-java'],
];

async function jar(id: string, needs: TestJar[] = [], scope = 'compile'): Promise<TestJar> {
  const debian = unpacked.get('jars') ?? unpackDebian(debiansJars);
  if (!unpacked.has('jars')) ends.push(debian.remove);
  unpacked.set('jars', debian);
  const content = await readFile(join(debian.directory, 'usr/share/maven-repo', jarPath({ id })));
  return { id, content, needs, scope };
}

async function jars(ids: string[], scope?: string): Promise<TestJar[]> {
  const found: TestJar[] = [];
  for (const id of ids) found.push(await jar(id, [], scope));
  return found;
}

/** With all that they need. */
async function pluginsOfMaven(): Promise<{ plugins: TestJar[]; parts: TestJar[] }> {
  const common = await jars(jarsOfMaven);
  const [logger, shared] = (await jars(ofSurefire('surefire-logger-api', 'maven-surefire-common'))) as [
    TestJar,
    TestJar,
  ];
  // Where tests run there are these parts with what they need, and nothing else of the plugin.
  const api = await jar(ofSurefire('surefire-api')[0]!, [logger]);
  const booter = await jar(ofSurefire('surefire-booter')[0]!, [api, ...common]);
  const ofPlugins = (name: string) => `org.apache.maven.plugins:maven-${name}`;
  return {
    plugins: [
      ...[
        await jar(ofPlugins('resources-plugin:3.3.0'), common),
        await jar(ofPlugins('compiler-plugin:3.10.1'), common),
      ],
      await jar(ofPlugins('surefire-plugin:2.22.3'), [...common, api, booter, shared]),
    ],
    parts: [...common, logger, api, booter, shared],
  };
}

test.each([
  {
    ...{
      name: 'JUnit 4',
      framework: 'junit:junit:4.13.2',
      needs: ['org.hamcrest:hamcrest:2.2'],
      annotation: 'org.junit',
    },
    unnamed: ofSurefire('surefire-junit4', 'common-java5', 'common-junit3', 'common-junit4'),
  },
  {
    ...{
      name: 'JUnit 5',
      framework: 'org.junit.jupiter:junit-jupiter-engine:5.9.2',
      annotation: 'org.junit.jupiter.api',
    },
    needs: [
      ...['org.junit.platform:junit-platform-commons:1.9.1', 'org.junit.platform:junit-platform-engine:1.9.1'],
      ...['org.junit.jupiter:junit-jupiter-api:5.9.2', 'org.opentest4j:opentest4j:1.2.0'],
      'org.apiguardian:apiguardian-api:1.1.2',
    ],
    unnamed: [
      ...ofSurefire('surefire-junit-platform', 'common-java5'),
      'org.junit.platform:junit-platform-launcher:1.9.1',
    ],
  },
])('mvn test compiles, and runs tests of $name by a runner that no lock names', async (each) => {
  const { plugins, parts } = await pluginsOfMaven();
  const needs = await jars(each.needs, 'test');
  const framework = await jar(each.framework, needs, 'test');
  const registry = await startPackageRegistry(
    jarFiles([...plugins, ...parts, framework, ...needs, ...(await jars(each.unnamed))]),
  );
  ends.push(registry.close);
  const named = (id: string) => {
    const [group, artifact, version] = id.split(':');
    return `<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`;
  };
  const files = {
    'pom.xml': `<project><modelVersion>4.0.0</modelVersion>${named('com.example:shop:1.0.0')}
<properties><maven.compiler.release>17</maven.compiler.release></properties>
<dependencies><dependency>${named(framework.id)}<scope>test</scope></dependency></dependencies>
<build><plugins>${plugins.map(({ id }) => `<plugin>${named(id)}</plugin>`).join('')}</plugins></build></project>\n`,
    'lockfile.json': mavenLock([framework], plugins),
    'src/main/java/Shop.java': 'public class Shop { public static int say() { return 7; } }\n',
    'src/test/java/ShopTest.java': `public class ShopTest { @${each.annotation}.Test public void says() { if (Shop.say() != 7) throw new Error(); } }\n`,
  };
  const command = 'mvn --batch-mode test 2>&1 && ls -A';
  expect(await says(['maven', registry.url], { packages: ofMaven }, files, command)).toEqual({
    exitCode: 0,
    printed: expect.stringMatching(
      /Tests run: 1, Failures: 0, Errors: 0[\s\S]*\.agora-maven\nlockfile\.json\npom\.xml\nsrc\ntarget\n$/,
    ),
  });
});

const ofMaven = [
  ...['openjdk-17-jdk-headless', 'openjdk-17-jre-headless', 'maven', 'libmaven3-core-java', 'libmaven-resolver-java'],
  ...['libmaven-shared-utils-java', 'libaopalliance-java', 'libatinject-jsr330-api-java', 'libcdi-api-java'],
  ...['libcommons-cli-java', 'libcommons-io-java', 'libcommons-lang3-java', 'liberror-prone-java', 'libguava-java'],
  ...['libgeronimo-annotation-1.3-spec-java', 'libgeronimo-interceptor-3.0-spec-java', 'libguice-java'],
  ...['libjansi-java', 'libjsr305-java', 'libplexus-cipher-java', 'libplexus-classworlds-java'],
  ...['libplexus-component-annotations-java', 'libplexus-interpolation-java', 'libplexus-sec-dispatcher-java'],
  ...['libplexus-utils2-java', 'libsisu-inject-java', 'libsisu-plexus-java', 'libslf4j-java'],
  ...['libwagon-file-java', 'libwagon-http-shaded-java', 'libwagon-provider-api-java'],
];
