import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { laid } from '../../../test/support/gate/host-sandbox.ts';
import { startPodman } from '../../../test/support/sandbox/podman.ts';
import { createSandboxDriver, DEFAULT_LIMITS, encodeArchive, type Sandbox, SandboxError } from '../../sandbox/index.ts';
import { assess, type EvidenceSource } from '../index.ts';

/** What a hired agent does to be paid for nothing: programs of its delivery that reach for the check which runs them. */

/** The answer that a check expects, and that no delivery here can know. */
const answer = '70919';
const honest = 'print $ARGV[0] * $ARGV[1], "\\n";';

/** Without modules, which small images lack. */
const others = 'opendir my $d, "/proc"; my @others = grep { /^\\d+$/ && $_ != $$ } readdir $d;';

/** Finds the answer among the processes that can be seen. */
const readsCommandLine = `${others}
for my $p (@others) {
  open my $h, "<", "/proc/$p/cmdline" or next; local $/; my $t = <$h>;
  if ($t =~ /= (\\d{5})/) { print "$1\\n"; exit }
}
print "0\\n";`;

/** Makes every process that can be reached expect another answer, and gives that. */
const rewritesMemory = `${others}
for my $p (@others) {
  open my $maps, "<", "/proc/$p/maps" or next;
  open my $mem, "+<", "/proc/$p/mem" or next;
  binmode $mem;
  while (<$maps>) {
    next unless /^([0-9a-f]+)-([0-9a-f]+) rw/;
    my ($from, $to) = (hex $1, hex $2);
    sysseek $mem, $from, 0 or next;
    sysread $mem, my $bytes, $to - $from or next;
    while ($bytes =~ /70919/g) { sysseek $mem, $from + $-[0], 0; syswrite $mem, "11111" }
  }
}
print "11111\\n";`;

const killsEverything = 'kill 9, -1; kill 9, getppid; print "0\\n";';
const forks = '1 while fork() >= 0 || 1;';
/** PTRACE_ATTACH, PTRACE_POKEDATA and process_vm_writev of all that is there. */
const traces = `${others}
my $done = 0;
for my $p (@others) {
  $done++ if syscall(101, 16, $p, 0, 0) == 0;
  $done++ if syscall(311, $p, 0, 0, 0, 0, 0) >= 0;
}
print $done ? "70919\\n" : "0\\n";`;
const floods = 'print "x" x 65536 while 1;';

interface Ground {
  name: string;
  open(): Promise<Sandbox>;
  close(): Promise<unknown>;
}

const engine = await startPodman();
const limits = { ...DEFAULT_LIMITS, processes: 64, maxExecMs: 20_000 };
/** For programs that look through the whole file system: a busy machine with a cold cache needs many seconds for it. */
const wholeDiskMs = limits.maxExecMs;
const grounds: Ground[] = ['bwrap' as const, 'docker' as const].map((name) => {
  const driver = createSandboxDriver({
    driver: name,
    installationId: `test-apart-${name}-${process.pid}`,
    docker: { host: engine.host, image: engine.image },
  });
  return { name, open: () => driver.create('apart', limits), close: async () => driver.forget?.() };
});
afterAll(async () => {
  await Promise.all(grounds.map((ground) => ground.close()));
  await engine.stop();
});

interface Delivery {
  files: Record<string, string>;
  original?: Record<string, string>;
  command: string;
  heldOut?: Record<string, string>;
  checkMs?: number;
  /** For so many sandboxes at once. */
  places?: number;
}

async function measure(
  ground: Ground,
  { files, original = { 'calc.pl': honest }, command, heldOut = {}, checkMs = 6_000, places = 9 }: Delivery,
) {
  const opened: Sandbox[] = [];
  let most = 0;
  const openSandbox = async () => {
    if (opened.length >= places) throw new SandboxError('SANDBOX_UNAVAILABLE', 'none left');
    const sandbox = await ground.open();
    opened.push(sandbox);
    void sandbox.closed.then(() => opened.splice(opened.indexOf(sandbox), 1));
    most = Math.max(most, opened.length);
    return sandbox;
  };
  const entries = Object.entries({ ...original, ...files });
  const archive = await encodeArchive(
    entries.map(([path, text]) => ({ type: 'file', path, mode: 0o644, modifiedMs: 0, content: Buffer.from(text) })),
  );
  const source: EvidenceSource = {
    task: {
      id: 'tsk_test',
      ownerId: 'own_test',
      taskType: 'general',
      input: { description: 'Multiply.', acceptance: { checks: [{ name: 'it', command, weight: 1 }] } },
      output: { result: 'Multiplied the numbers.' },
      declaredScore: null,
    },
    workspace: { export: async () => archive },
    openSandbox,
    originalFiles: laid(original),
    heldOut: laid(heldOut),
  };
  const { criteria } = await assess(source, { caps: { totalMs: 60_000, checkMs, testsMs: 10_000 } });
  await Promise.all(opened.map((sandbox) => sandbox.closed));
  const found = criteria.find(({ name }) => name === 'check: it');
  return { score: found?.score, evidence: found?.evidence ?? '', most };
}

describe.each(grounds)('a program of the delivery run apart from its check, on $name', (ground) => {
  beforeAll(async () => (await ground.open()).destroy());
  const compares = (call: string) => `test "$(${call} calc.pl 10131 7)" = ${answer}`;
  const asks = (call: string) => `test "$(${call} calc.pl 10131 7 2>/dev/null)" = 70917 && echo fine`;

  test.each([
    ['reads the command line of its check', readsCommandLine],
    ['rewrites the memory of its check', rewritesMemory],
  ])(
    'a program that %s passes where the check runs it itself, and the assessment says how little that proves',
    async (_name, program) => {
      const { score, evidence } = await measure(ground, { files: { 'calc.pl': program }, command: compares('perl') });
      expect(score).toBe(100);
      expect(evidence).toContain(
        'Exit code 0. Only its exit code proves this, because its runner reported no tests to the gate: work that it runs without `delivered` may have made it succeed.',
      );
    },
  );

  test.each([
    ['reads the command line of its check', readsCommandLine],
    ['rewrites the memory of its check', rewritesMemory],
    ['kills all that it can', killsEverything],
    ['forks without end', forks],
    ['traces and writes into other processes', traces],
    ['fills the wire', floods],
  ])('a program that %s does not pass', async (_name, program) => {
    const { score, most } = await measure(ground, {
      files: { 'calc.pl': program },
      command: compares('delivered perl'),
    });
    expect(score).toBe(0);
    expect(most).toBeLessThanOrEqual(2);
  });

  test('honest work passes, with nothing to be said against it', async () => {
    const { score, evidence } = await measure(ground, { files: { note: 'x' }, command: asks('delivered perl') });
    expect([score, evidence]).toEqual([100, 'Exit code 0. Output ends:\nfine']);
  });

  test.each(['check.sh', 'test/run.sh'])(
    "the buyer's %s is put back, and what it starts with `delivered` cannot reach it",
    async (path) => {
      const script = (call: string) => `out=$(${call} calc.pl)\ntest "$out" = ${answer} && echo passed\n`;
      const run = (call: string) =>
        measure(ground, {
          original: { 'calc.pl': honest, [path]: script(call) },
          files: { 'calc.pl': rewritesMemory, [path]: 'echo passed' },
          command: `sh ${path}`,
        });
      expect((await run('perl')).score).toBe(100);
      expect((await run('delivered perl')).score).toBe(0);
    },
  );

  test('sees no process, file, variable or descriptor of the check', async () => {
    const looks = `
      system "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\\\0' ' '";
      system "ls /proc/[0-9]*/fd /proc/self/fd /workspace /tmp -aR 2>/dev/null; find / -name '*canary*' 2>/dev/null";`;
    const command = `export LANG_CANARY=canary; exec 9> /tmp/canary; echo canary > canary; delivered perl calc.pl > seen; ! grep canary seen && test -s seen && grep -q calc.pl seen`;
    const files = { 'calc.pl': looks };
    expect(await measure(ground, { files, command, checkMs: wholeDiskMs })).toMatchObject({ score: 100 });
  });

  test('finds held-out files nowhere, whatever it puts in their place', async () => {
    const looks =
      'system "grep -rls canary-of-buyer / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr 2>/dev/null"';
    const heldOut = { 'held/test.sh': '# canary-of-buyer\ntest -z "$(delivered perl calc.pl)" && delivered true' };
    const files = { 'calc.pl': looks.replace('canary', '[c]anary'), 'held/test.sh': 'exit 0' };
    const check = { heldOut, command: 'sh held/test.sh', checkMs: wholeDiskMs };
    expect(await measure(ground, { files, ...check })).toMatchObject({ score: 100 });
    expect(await measure(ground, { files: {}, ...check })).toMatchObject({ score: 0 });
  });

  test('what it leaves stays for the calls of its check, and goes with it', async () => {
    const command =
      'echo 5 | delivered sh -c "cat > kept" && test "$(delivered cat kept)" = 5 && test ! -e kept && delivered sh -c "(sleep 30; echo no) >/dev/null 2>&1 & echo started"';
    expect(await measure(ground, { files: {}, command })).toMatchObject({ score: 100 });
  });

  test.each([
    ['exit 3', '3', ''],
    ['kill -9 $$', '137', ''],
    ['nothing-of-this-name', '127', 'not found'],
  ])('how `%s` ends crosses as %s', async (inside, code, said) => {
    const command = `delivered sh -c '${inside}' 2>&1; echo "code $?"; false`;
    const { evidence } = await measure(ground, { files: {}, command });
    expect(evidence).toContain(`code ${code}`);
    expect(evidence).toContain(said);
  });

  test('where the platform has no second sandbox to give, there is no verdict, and the gate runs again', async () => {
    // That the check does not mind makes no difference.
    const given = { files: {}, command: 'delivered true || true', places: 1 };
    await expect(measure(ground, given)).rejects.toMatchObject({ name: 'GateUnavailable' });
  });

  test("a program that the delivery lacks fails the check; one that the sandbox lacks is not the agent's fault", async () => {
    const score = async (command: string) => (await measure(ground, { files: {}, command })).score;
    expect([await score('delivered ./missing'), await score('delivered no-such-tool')]).toEqual([0, null]);
  });
});
