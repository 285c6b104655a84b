import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandboxDriver, DEFAULT_LIMITS, readToolchains } from '@agora-market/server/sandbox';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../../server/test/support/harness.ts';
import { makeDebianArchive } from '../../test/debian-archive.ts';
import { addToolsCommand } from './tools.ts';

/** What is odd about packages of Debian, in an archive of the test's own: no script of a package runs, and nothing is installed. */

let home: string;
let server: TestServer;
const driver = createSandboxDriver({ driver: 'bwrap', installationId: `test-tools-of-debian-${process.pid}` });

const jdk = 'usr/lib/jvm/java-99-openjdk';

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agora-debian-'));
  // Sandboxes of root have users of their own.
  await chmod(home, 0o755);
  const settings = makeDebianArchive(home, [
    {
      ...{ name: 'cargo', version: '99.2.0+dfsg1-1', depends: ['rustc'] },
      files: {
        // Debian's alternatives: links to links, all by their whole path.
        'usr/bin/cargo': '-> /usr/lib/cargo/cargo',
        'usr/lib/cargo/cargo': '-> /etc/alternatives/cargo',
        'etc/alternatives/cargo': '-> /usr/lib/cargo/bin/cargo-99',
        'usr/lib/cargo/bin/cargo-99': '#!/bin/sh\necho "cargo 99.2.0 with $(rustc --version)"\n',
      },
      afterwards: `touch ${home}/ran`,
    },
    {
      ...{ name: 'rustc', version: '99.1.0+dfsg1-1', depends: ['rust-made-std (>= 99)'] },
      files: {
        'usr/bin/rustc':
          '#!/bin/sh\nhere=$(dirname "$(dirname "$(readlink -f "$0")")")\n. "$here/lib/rustlib/version"\n',
        'usr/lib/rustlib': '-> /usr/share/rust-made',
      },
    },
    {
      ...{ name: 'rust-made-std', version: '99.1.0+dfsg1-1' },
      files: { 'usr/share/rust-made/version': 'echo "rustc 99.1.0"\n' },
    },
    { name: 'rust-made-src', version: '99.1.0-1', files: { 'usr/src/rust-made/lib.rs': '\n' } },
    {
      ...{ name: 'default-jdk-headless', version: '2:1.99-1', depends: ['openjdk-99-jdk'] },
      files: { 'usr/lib/jvm/default-java': '-> java-99-openjdk' },
    },
    {
      ...{ name: 'openjdk-99-jdk', version: '99.0.1+1-1' },
      files: {
        [`${jdk}/bin/java`]: '#!/bin/sh\necho "openjdk 99.0.1 $(cat "$JAVA_HOME/conf/security")"\n',
        // No link in /usr/bin: the alternatives make it where it is installed.
        [`${jdk}/bin/javac`]: '#!/bin/sh\necho "javac 99.0.1"\n',
        [`${jdk}/conf/security`]: '-> /etc/java-99-openjdk/security',
        'etc/java-99-openjdk/security': 'strict\n',
      },
    },
    {
      ...{ name: 'maven', version: '99.8.7-1', depends: ['default-jdk-headless | java'] },
      files: { 'usr/share/maven/bin/mvn': '#!/bin/sh\necho "Maven with $("$JAVA_HOME/bin/java")"\n' },
    },
    {
      ...{ name: 'python3-pytest', version: '99.2.1-2', depends: ['python3-made-plugin'] },
      files: {
        'usr/bin/made-test': '#!/usr/bin/python3\nimport made_test\nprint(made_test.words())\n',
        'usr/lib/python3/dist-packages/made_test.py': 'import made_plugin\nwords = lambda: made_plugin.word\n',
      },
      // Where it is installed, a trigger compiles the modules.
      afterwards: `touch ${home}/ran`,
    },
    {
      ...{ name: 'python3-made-plugin', version: '1.0-1' },
      files: { 'usr/lib/python3/dist-packages/made_plugin.py': "word = 'plugged'\n" },
    },
  ]);
  vi.stubEnv('APT_CONFIG', settings);
  vi.stubEnv('SANDBOX_TOOLS', join(home, 'tools'));
  vi.stubEnv('AGORA_DATA_DIR', join(home, 'data'));
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  server = await startTestServer({ config: { SANDBOX_TOOLS: join(home, 'tools') } });
});
afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await server?.close();
  driver.forget?.();
  await rm(home, { recursive: true });
});

test.each([
  ['debian:cargo,rust-made-src', 'rust', '99.1.0', 'cargo', 'cargo 99.2.0 with rustc 99.1.0'],
  ['java', 'java', '99.0.1', 'mvn; javac', 'Maven with openjdk 99.0.1 strict\njavac 99.0.1'],
  ['debian:python3-pytest', 'tests', '99.2.1', 'made-test', 'plugged'],
])(
  '%s starts in a sandbox with what it depends on, and the server lists it',
  async (source, name, version, command, says) => {
    await addToolsCommand([source], { name });
    const toolchain = (await readToolchains(join(home, 'tools'))).find((each) => each.name === name)!;
    const sandbox = await driver.create('tools', DEFAULT_LIMITS, { toolchains: [toolchain] });
    const { stdout, stderr } = await sandbox.exec({ command, timeoutMs: 60_000 });
    await sandbox.destroy();
    expect((stdout + stderr).trim()).toBe(says);
    expect((await server.client().system.environments()).tools).toContainEqual(
      expect.objectContaining({ name, version }),
    );
    expect(existsSync(join(home, 'ran'))).toBe(false);
  },
);
