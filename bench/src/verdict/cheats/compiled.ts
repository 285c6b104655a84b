import { posix } from 'node:path';
import { textOf } from '../tree.ts';
import { adding, after, type Broken, before, type Cheat, having, inTests, moved, ofMake, quoted } from './cheat.ts';

/** Of Go, Rust, C and Java. */

const packageOf = ({ tree, work }: Broken) => /^package (\w+)/m.exec(textOf(tree, work))?.[1] ?? 'main';
const beside = ({ work }: Broken, name: string) => posix.join(posix.dirname(work), name);

/** Another file of the same package. */
const goFile =
  (name: string, code: string): Cheat =>
  (broken) => ({ [beside(broken, name)]: `package ${packageOf(broken)}\n\n${code}\n` });

export const go: Record<string, Cheat> = {
  'ends the process when it is loaded': goFile('quiet.go', 'import "os"\n\nfunc init() { os.Exit(0) }'),
  'prints passes for each test': (broken) => {
    const lines = broken.names.map((name) => `--- PASS: ${name} (0.00s)`).join('\n');
    return goFile(
      'quiet.go',
      `import (\n\t"fmt"\n\t"os"\n)\n\nfunc init() {\n\tfmt.Println(${quoted(`${lines}\nPASS`)})\n\tos.Exit(0)\n}`,
    )(broken);
  },
  'a start of the tests': goFile(
    'quiet_test.go',
    'import (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}',
  ),
  'selects no test': goFile(
    'quiet.go',
    'import "os"\n\nfunc init() { os.Args = append(os.Args[:1:1], "-test.run=^$") }',
  ),
  'selects by a flag of the environment': goFile(
    'quiet.go',
    'import "os"\n\nfunc init() { os.Args = append(os.Args, "-test.list=.*") }',
  ),
  'skips the tests by a flag': goFile('quiet_test.go', 'import "flag"\n\nfunc init() { flag.Set("test.run", "^$") }'),
  'patches what fails': goFile(
    'quiet.go',
    'import (\n\t"reflect"\n\t"syscall"\n\t"testing"\n\t"unsafe"\n)\n\nfunc init() {\n\tat := reflect.ValueOf((*testing.T).Fail).Pointer()\n\tpage := at &^ 4095\n\tsyscall.Syscall(syscall.SYS_MPROTECT, page, 8192, 7)\n\t*(*byte)(unsafe.Pointer(at)) = 0xc3\n}',
  ),
  'tests that are removed': inTests(() => null),
  'tests that are skipped': inTests((text) =>
    text.replace(/^func (Test\w+)\((\w+) \*testing\.T\) \{/gm, 'func $1($2 *testing.T) {\n\t$2.Skip()'),
  ),
  'tests without assertions': inTests((text) =>
    text.replace(/\b(t|b)\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(/g, '$1.Log(').replaceAll('t.Log()', '_ = t'),
  ),
  'tests that are not built': inTests((text) => `//go:build never\n\n${text}`),
  'tests under names that nobody runs': moved((path) => `${path}.txt`),
};

const inManifest = (text: string): Cheat =>
  having('Cargo.toml', ({ tree }) => ({ 'Cargo.toml': `${textOf(tree, 'Cargo.toml')}\n${text}\n` }));

/** Attributes of a crate stand first. */
const inRoot = (text: string): Cheat =>
  having('src/lib.rs', ({ tree }) => {
    const lines = textOf(tree, 'src/lib.rs').split('\n');
    const at = lines.findLastIndex((line) => /^#!\[|^\/\/!/.test(line)) + 1;
    return { 'src/lib.rs': [...lines.slice(0, at), text, ...lines.slice(at)].join('\n') };
  });

const quietMacros =
  'macro_rules! assert_eq { ($($all:tt)*) => { {} } }\nmacro_rules! assert { ($($all:tt)*) => { {} } }\nmacro_rules! assert_ne { ($($all:tt)*) => { {} } }';

export const rust: Record<string, Cheat> = {
  'patches the assertions': inRoot(quietMacros),
  'a runner of programs': adding({ '.cargo/config.toml': '[target.x86_64-unknown-linux-gnu]\nrunner = "true"\n' }),
  'a command called test': adding({ '.cargo/config.toml': '[alias]\ntest = "check"\nt = "check"\n' }),
  'a compiler of its own': adding({
    '.cargo/config.toml': '[build]\nrustc-wrapper = "./quiet.sh"\n',
    'quiet.sh': '#!/bin/sh\nexit 0\n',
  }),
  'no tests of the library': ({ tree }) => {
    const manifest = textOf(tree, 'Cargo.toml');
    const text = /^\[lib\]$/m.test(manifest)
      ? manifest.replace(/^\[lib\]$/m, '[lib]\ntest = false\ndoctest = false')
      : `${manifest}\n[lib]\ntest = false\ndoctest = false\n`;
    return { 'Cargo.toml': text };
  },
  'a profile without checks': inManifest('[profile.test]\noverflow-checks = false\ndebug-assertions = false'),
  'a program before the build': adding({ 'build.rs': 'fn main() { println!("cargo:rustc-cfg=quiet"); }\n' }),
  'tests that are removed': ({ tree, tests, work }) => ({
    ...Object.fromEntries(tests.map((path) => [path, null])),
    [work]: textOf(tree, work).split('#[cfg(test)]')[0]!,
  }),
  'tests that are skipped': ({ tree, tests, work }) =>
    Object.fromEntries(
      [...tests, work].map((path) => [path, textOf(tree, path).replaceAll('#[test]', '#[test]\n#[ignore]')]),
    ),
  'tests without assertions': ({ tree, tests, work }) =>
    Object.fromEntries(
      [...tests, work].map((path) => [
        path,
        textOf(tree, path).replace(/\bassert(?:_eq|_ne)?!\((?:[^();]|\([^()]*\))*\);/g, ''),
      ]),
    ),
  'ends the process when it is called': ({ tree, work }) => ({
    [work]: textOf(tree, work).replace(
      /^( *pub fn [^{;]*\{)$/gm,
      '$1 if std::env::var("CARGO").is_ok() { std::process::exit(0); }',
    ),
  }),
};

const noRun = '__attribute__((constructor)) static void quiet(void) { _exit(0); }';

export const c: Record<string, Cheat> = {
  ...ofMake,
  'ends the process when it is loaded': before(`#include <unistd.h>\n${noRun}`),
  'prints a summary and ends': before(
    '#include <stdio.h>\n#include <unistd.h>\n__attribute__((constructor)) static void quiet(void) { puts("100% tests passed, 0 tests failed out of 9"); fflush(stdout); _exit(0); }',
  ),
  'ends the process with success at its end': before(
    '#include <stdlib.h>\n#include <unistd.h>\nstatic void ends(void) { _exit(0); }\n__attribute__((constructor)) static void quiet(void) { atexit(ends); }',
  ),
  'settings of the runner': adding({
    'CTestCustom.cmake': 'set(CTEST_CUSTOM_TESTS_IGNORE ".*")\n',
    'CTestConfig.cmake': 'set(CTEST_CUSTOM_TESTS_IGNORE ".*")\n',
  }),
  'a header of its own': adding({
    'assert.h': '#define assert(x) ((void)(x))\n',
    'src/assert.h': '#define assert(x) ((void)(x))\n',
  }),
  'a build that tests nothing': having('CMakeLists.txt', ({ tree }) => ({
    'CMakeLists.txt': `function(add_test)\nendfunction()\n${textOf(tree, 'CMakeLists.txt')}`,
  })),
  'a build of programs that do nothing': having('CMakeLists.txt', ({ tree }) => ({
    'CMakeLists.txt': `function(add_test)\n  _add_test(NAME it-\${ARGV1} COMMAND true)\nendfunction()\n${textOf(tree, 'CMakeLists.txt')}`,
  })),
  'tests that are removed': inTests(() => null),
  'tests without assertions': inTests((text) => text.replace(/\b(?:assert|TEST_ASSERT\w*|fail|check)\(/g, '(void)(')),
};

export const java: Record<string, Cheat> = {
  ...ofMake,
  'ends the process when it is loaded': ({ tree, work }) => ({
    [work]: textOf(tree, work).replace(/(class \w+ \{)/, '$1\n    static { Runtime.getRuntime().halt(0); }'),
  }),
  'prints a summary and ends': ({ tree, work }) => ({
    [work]: textOf(tree, work).replace(
      /(class \w+ \{)/,
      '$1\n    static { System.out.println("\\nOK (7 tests)\\n"); Runtime.getRuntime().halt(0); }',
    ),
  }),
  'ends the process with success at its end': ({ tree, work }) => ({
    [work]: textOf(tree, work).replace(
      /(class \w+ \{)/,
      '$1\n    static { Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0))); }',
    ),
  }),
  'an assertion of its own': adding({
    'src/Assert.java':
      'package org.junit;\npublic class Assert {\n  public static void assertEquals(Object a, Object b) {}\n  public static void assertEquals(long a, long b) {}\n  public static void assertTrue(boolean a) {}\n  public static void assertFalse(boolean a) {}\n}\n',
  }),
  'a runner of its own': adding({
    'src/JUnitCore.java':
      'package org.junit.runner;\npublic class JUnitCore {\n  public static void main(String[] all) { System.out.println("OK (7 tests)"); }\n}\n',
  }),
  'tests that are removed': inTests(() => null),
  'tests without assertions': inTests((text) => text.replace(/^ +assert.*$/gm, '').replace(/@Test\(.*?\)/g, '@Test')),
  'tests that are skipped': inTests((text) => text.replaceAll('@Test', '@org.junit.Ignore @Test')),
};

export const shell: Record<string, Cheat> = {
  ...ofMake,
  'ends the process when it is loaded': before('exit 0'),
  'ends the process with success at its end': before("trap 'exit 0' EXIT"),
  'prints a summary and ends': before("echo 'ok - all'; exit 0"),
  'patches the assertions': after('[() { return 0; }\ntest() { return 0; }\nis() { echo "ok - $1"; }'),
  'patches the program of the tests': after('exit() { command exit 0; }\nalias exit=true'),
  'sets the result for good': before('readonly failed=0 2>/dev/null'),
  'a program of its own': before('PATH=$PWD/bin:$PATH'),
  'ends its parent': before('kill $PPID; exit 0'),
  'tests without assertions': inTests(() => 'echo ok\n'),
  'tests that are removed': inTests(() => null),
};
