import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git, startGitServer } from '../support/git-server.ts';
import { hireAndStart, makePair, serverForFile } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

const files = {
  'src/add.sh': 'echo $(($1 + $2))\n',
  'src/same.sh': 'true\n',
  'old.txt': 'a\nb\nc\n',
  'pixel.bin': { content: '/wD+', encoding: 'base64' as const },
};

const executing = (given: Record<string, unknown> = files) => working({ files: given });

async function working(input: Record<string, unknown>) {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair, { input });
  const { sandbox } = pair.agent.agora;
  const run = async (command: string) => {
    const { data } = await sandbox.exec(id, { command, timeoutMs: 20_000 });
    expect(data).toMatchObject({ exitCode: 0 });
  };
  const diff = async () => (await sandbox.diff(id)).data;
  return { id, sandbox, run, diff };
}

describe('the diff of a workspace', () => {
  test('is empty before anything has changed, and after it was changed back', async () => {
    const { run, diff } = await executing();
    expect(await diff()).toEqual({ files: [], truncated: false });
    await run('cp src/add.sh x; echo >>src/add.sh; mv x src/add.sh; mkdir -p empty/dir');
    expect((await diff()).files).toEqual([]);
  });

  test('lists what was added, modified and deleted, as git applies it', async () => {
    const { run, diff } = await executing();
    await run(
      'echo "echo \\$((\\$1 * \\$2))" >src/add.sh; rm old.txt; printf "no newline" >src/new.txt; printf "\\0\\1" >>pixel.bin; chmod +x src/same.sh; ln -s src link',
    );
    const { files: found } = await diff();
    expect(found.map(({ path, change, binary, truncated }) => [path, change, binary, truncated])).toEqual([
      ['link', 'added', false, false],
      ['old.txt', 'deleted', false, false],
      ['pixel.bin', 'modified', true, false],
      ['src/add.sh', 'modified', false, false],
      ['src/new.txt', 'added', false, false],
      ['src/same.sh', 'modified', false, false],
    ]);
    expect(found[2]?.unified).toBeNull();
    expect(found[3]?.unified).toContain('@@ -1,1 +1,1 @@\n-echo $(($1 + $2))\n+echo $(($1 * $2))\n');
    const tree = laid({ 'src/add.sh': files['src/add.sh'], 'src/same.sh': 'true\n', 'old.txt': files['old.txt'] });
    applied(tree, found.map(({ unified }) => unified ?? '').join(''));
    expect(readFileSync(join(tree, 'src/add.sh'), 'utf8')).toBe('echo $(($1 * $2))\n');
    expect(readFileSync(join(tree, 'src/new.txt'), 'utf8')).toBe('no newline');
    expect(
      execFileSync('find', [tree, '-name', 'old.txt', '-o', '-name', 'same.sh', '-perm', '755'], { encoding: 'utf8' }),
    ).toBe(`${join(tree, 'src/same.sh')}\n`);
    rmSync(tree, { recursive: true });
  });

  test('of a cloned repository with files over it starts from both', async () => {
    const remote = await startGitServer();
    git(remote.root, 'init', '--initial-branch=main', 'project');
    const project = join(remote.root, 'project');
    for (const name of ['kept', 'edited', 'replaced']) writeFileSync(join(project, name), `${name}\n`);
    git(project, 'add', '-A');
    git(project, 'commit', '--quiet', '-m', 'one');
    const input = { repo: { url: `${remote.url}/project` }, files: { replaced: "the buyer's\n" } };
    const { run, diff } = await working(input);
    expect((await diff()).files).toEqual([]);
    await run('echo more >>edited; echo mine >replaced');
    const { files: found } = await diff();
    expect(found.map(({ path }) => path)).toEqual(['edited', 'replaced']);
    expect(found[1]?.unified).toContain("-the buyer's\n+mine\n");
    await remote.close();
  });

  test('names that would break a diff stay inside their line, and the patch still applies', async () => {
    const { run, diff } = await executing();
    const names = [
      '--- a\n+++ b\n@@ -1 +1 @@\n-x',
      '"quoted" \\ name',
      ' leading',
      'tab\there',
      'ünï',
      '-rf',
      '\u001b[31m',
    ];
    for (const [n, name] of names.entries()) await run(`printf 'line ${n}\\n' >${shellQuoted(name)}`);
    const { files: found } = await diff();
    expect(new Set(found.map(({ path }) => path))).toEqual(new Set(names));
    for (const { unified } of found) expect(unified?.match(/^@@ /gm)).toHaveLength(1);
    const tree = laid({});
    applied(tree, found.map(({ unified }) => unified).join(''));
    for (const [n, name] of names.entries()) expect(readFileSync(join(tree, name), 'utf8')).toBe(`line ${n}\n`);
    rmSync(tree, { recursive: true });
    await run(`printf x >"$(printf 'a\\377')"; printf y >"$(printf 'a\\376')"`);
    const odd = (await diff()).files.map(({ path }) => path).filter((path) => path.startsWith('a\udbff'));
    expect(odd).toEqual(['a\u{10fefe}', 'a\u{10feff}']);
  });

  test('a sparse file of a gigabyte, loops of links, pipes and closed places are named and not followed', async () => {
    const { run, diff } = await executing();
    await run(
      'truncate -s 1G sparse; ln -s loop loop; ln -s . here; ln -s .. up; mkfifo pipe; mkdir shut; echo x >shut/x',
    );
    await run('chmod 0 shut; ln -s /proc/self/environ environ; echo x >closed; chmod 0 closed; chmod 0 src');
    const { files: found } = await diff();
    const byPath = Object.fromEntries(found.map(({ path, ...rest }) => [path, rest]));
    expect(Object.keys(byPath)).toEqual(['closed', 'environ', 'here', 'loop', 'shut', 'sparse', 'src', 'up']);
    for (const path of ['sparse', 'closed', 'shut', 'src']) {
      expect(byPath[path]).toMatchObject({ unified: null, truncated: true });
    }
    expect(byPath.loop?.unified).toContain('new file mode 120000');
    expect(byPath.environ?.unified).toContain('+/proc/self/environ\n');
  });

  test('what takes too long to compare, or is too much, is cut and says so', async () => {
    const lines = (n: number, word: string) => Array.from({ length: n }, (_, at) => `${word} ${at * 7919}\n`).join('');
    const { run, diff } = await executing({ 'hard.txt': lines(10_000, 'a') });
    await run('seq 1 20000 | sed s/^/b/ >hard.txt; mkdir many; cd many; seq 1 1200 | xargs touch; seq 1 60000 >long');
    const { files: found, truncated } = await diff();
    expect(truncated).toBe(true);
    expect(found).toHaveLength(1_000);
    const hard = found.find(({ path }) => path === 'hard.txt');
    expect(hard).toMatchObject({ change: 'modified', binary: false, truncated: true });
  });

  test('in a workspace too large to compare, changes are found by size and time', async () => {
    const { run, diff } = await executing();
    await run(
      'mkdir aaa; for i in 1 2 3 4 5 6; do head -c 4000000 /dev/zero | tr "\\0" x | split -b 400000 - aaa/$i; done',
    );
    await run('echo changed >>src/add.sh');
    const { files: found } = await diff();
    const add = found.find(({ path }) => path === 'src/add.sh');
    expect(add?.unified).toContain('+changed\n');
    expect(found.map(({ path }) => path)).not.toContain('src/same.sh');
    expect(found).toHaveLength(61);
  });
});

const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function laid(given: Record<string, string>): string {
  const tree = mkdtempSync(join(tmpdir(), 'agora-diff-'));
  execFileSync('git', ['init', '-q', tree]);
  for (const [path, content] of Object.entries(given)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), content);
  }
  return tree;
}

const applied = (tree: string, patch: string) => execFileSync('git', ['apply', '-'], { cwd: tree, input: patch });
