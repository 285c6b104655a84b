import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { git, startGitServer } from '../support/git-server.ts';
import { day, goodOutput, hireAndStart, makePair, type Pair, pass, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });
const input = {
  files: {
    'src/add.sh': 'echo $(($1 - $2))\n',
    'src/long.txt': Array.from({ length: 40 }, (_, nth) => `line ${nth}\n`).join(''),
    'old.txt': 'a\nb\nc\n',
    'pixel.bin': { content: '/wD+', encoding: 'base64' as const },
    '.gitignore': '*.o\n',
  },
};

/** A delivered task whose agent has run this command over the input. */
async function delivered(command: string, given: Record<string, unknown> = input, output: object = goodOutput) {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair, { input: given });
  const { data } = await pair.agent.agora.sandbox.exec(id, { command, timeoutMs: 20_000 });
  expect(data).toMatchObject({ exitCode: 0 });
  const { status } = await pair.agent.agora.tasks.complete(id, { output: output as Record<string, unknown> });
  return { pair, id, status };
}

const patchOf = async ({ buyer }: Pair, id: string) =>
  Buffer.from(await (await buyer.agora.tasks.patch(id)).arrayBuffer());

const lay = (files: Record<string, string>): string => {
  const directory = mkdtempSync(join(tmpdir(), 'agora-changes-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
};

/** A tree after the patch, by path; Git itself reads it. */
function applied(tree: string, patch: Buffer): string {
  try {
    execFileSync('git', ['-C', tree, 'apply'], { input: patch });
    return execFileSync('sh', ['-c', 'find . -name .git -prune -o -type f -print | LC_ALL=C sort | xargs sha256sum'], {
      cwd: tree,
      encoding: 'utf8',
    });
  } finally {
    rmSync(tree, { recursive: true });
  }
}

/** Paths and contents of a tar archive, as tar itself unpacks it. */
function unpacked(archive: Buffer): string {
  const place = mkdtempSync(join(tmpdir(), 'agora-tar-'));
  try {
    execFileSync('tar', ['-x', '-C', place], { input: archive });
    return execFileSync(
      'sh',
      ['-c', 'find . ! -type d | LC_ALL=C sort | xargs ls -ld | cut -c1-10; grep -r "" . | sort'],
      {
        cwd: place,
        encoding: 'utf8',
      },
    );
  } finally {
    rmSync(place, { recursive: true });
  }
}

describe('the delivered workspace', () => {
  test('is a tar archive with modes and links, without what leads out, for as long as it is kept', async () => {
    const { pair, id } = await delivered(
      'rm -r src old.txt; chmod +x *; mkdir -p a .git; echo two > a/b; ln -s a/b inside; ln -s /etc/passwd out; echo x > .git/config',
      { ...input, files: { one: '1\n' } },
    );
    for (const { agora } of [pair.buyer, pair.agent]) {
      const archive = Buffer.from(await (await agora.tasks.workspace(id)).arrayBuffer());
      expect(unpacked(archive)).toBe('-rw-r--r--\nlrwxrwxrwx\n-rwxr-xr-x\n./a/b:two\n./one:1\n');
    }
    const stranger = await makePair(server);
    expect(await refusalOf(stranger.buyer.agora.tasks.workspace(id))).toBe('403 NOT_A_PARTY');
    await pass(server, day);
    expect(await refusalOf(pair.buyer.agora.tasks.workspace(id))).toBe('404 CHANGES_NOT_FOUND');
  });

  test('of more than a chunk comes whole', async () => {
    const { pair, id } = await delivered('head -c 3000001 /dev/urandom > large; sha256sum < large > sum');
    const archive = Buffer.from(await (await pair.buyer.agora.tasks.workspace(id)).arrayBuffer());
    const place = mkdtempSync(join(tmpdir(), 'agora-tar-'));
    try {
      execFileSync('tar', ['-x', '-C', place], { input: archive });
      execFileSync('sh', ['-c', 'sha256sum < large | cmp - sum'], { cwd: place });
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});

describe('what a delivery changes', () => {
  test('is listed and is a patch that gives the tree which was delivered, for both parties', async () => {
    const { pair, id, status } = await delivered(`
      sed -i 's/-/+/' src/add.sh; chmod +x src/add.sh; rm old.txt; mv src/long.txt long.txt
      printf 'no end of line' > new.txt; printf '\\0\\1' >> pixel.bin; ln -s new.txt link
      touch a.o; echo '*' > src/.gitignore; touch src/made.sh; mkdir -p output; echo x > output/report.txt; ln -s /etc/passwd out
      find . -path ./output -prune -o -name a.o -prune -o -name '.agora*' -prune -o -type f -print |
        LC_ALL=C sort | xargs sha256sum > output/sums`);
    expect(status).toBe('completed');
    const found = await pair.buyer.agora.tasks.changes(id);
    expect(found.data.map(({ path, from, change, mode, lines }) => [path, from, change, mode.after, lines])).toEqual([
      ['link', null, 'added', '120000', { added: 1, removed: 0 }],
      ['long.txt', 'src/long.txt', 'renamed', '100644', { added: 0, removed: 0 }],
      ['new.txt', null, 'added', '100644', { added: 1, removed: 0 }],
      ['old.txt', null, 'deleted', null, { added: 0, removed: 3 }],
      ['pixel.bin', null, 'modified', '100644', null],
      ['src/.gitignore', null, 'added', '100644', { added: 1, removed: 0 }],
      ['src/add.sh', null, 'modified', '100755', { added: 1, removed: 1 }],
      ['src/made.sh', null, 'added', '100644', { added: 0, removed: 0 }],
    ]);
    expect(found).toMatchObject({ total: { files: 8, added: 4, removed: 4 }, linksLeftOut: 1 });
    expect(await pair.agent.agora.tasks.changes(id)).toEqual(found);
    const patch = await patchOf(pair, id);
    expect(found.patch).toEqual({
      sizeBytes: patch.length,
      sha256: createHash('sha256').update(patch).digest('hex'),
      dropped: null,
    });
    const tree = lay(
      Object.fromEntries(Object.entries(input.files).filter(([, text]) => typeof text === 'string')) as never,
    );
    writeFileSync(join(tree, 'pixel.bin'), Buffer.from('/wD+', 'base64'));
    const sums = (await pair.buyer.agora.artifacts.list(id)).data.find(({ path }) => path === 'sums');
    const told = await (await pair.buyer.agora.artifacts.download(id, sums!.id)).text();
    expect(applied(tree, patch)).toBe(told);
  });

  test('is in the receipt by its digest, beside the artifacts or the output', async () => {
    const { pair, id } = await delivered('echo new > new.txt');
    const { patch } = await pair.buyer.agora.tasks.changes(id);
    const { jws } = await pair.buyer.agora.tasks.receipt(id);
    const { subject } = JSON.parse(Buffer.from(jws.split('.')[1]!, 'base64url').toString());
    expect(subject).toEqual([
      { name: 'output.json', digest: { sha256: expect.any(String) } },
      { name: 'changes.patch', digest: { sha256: patch.sha256 } },
    ]);
  });

  test('comes a page at a time', async () => {
    const { pair, id } = await delivered('for n in 1 2 3 4 5; do echo $n > n$n; done');
    const paths: string[] = [];
    for (let cursor: string | null = null, pages = 0; pages < 5; pages += 1) {
      const page = await pair.buyer.agora.tasks.changes(id, { pageSize: 2, ...(cursor !== null && { cursor }) });
      expect(page.total.files).toBe(5);
      paths.push(...page.data.map(({ path }) => path));
      cursor = page.pagination.nextCursor;
      if (cursor === null) break;
    }
    expect(paths).toEqual(['n1', 'n2', 'n3', 'n4', 'n5']);
    expect(await refusalOf(pair.buyer.agora.tasks.changes(id, { cursor: 'x' }))).toBe('400 VALIDATION_ERROR');
  });

  test('is the agent’s alone until it is paid for', async () => {
    const acceptance = { checks: [{ name: 'never', command: 'test -e nothing' }] };
    const { pair, id, status } = await delivered('echo new > new.txt', { ...input, acceptance });
    expect(status).toBe('failed');
    expect(await refusalOf(pair.buyer.agora.tasks.changes(id))).toBe('409 TASK_WRONG_STATE');
    expect(await refusalOf(pair.buyer.agora.tasks.patch(id))).toBe('409 TASK_WRONG_STATE');
    expect((await pair.agent.agora.tasks.changes(id)).total.files).toBe(1);
    await pair.buyer.agora.tasks.accept(id);
    expect(String(await patchOf(pair, id))).toContain('+new');
  });

  test('is not there without a workspace, after its time, and for strangers', async () => {
    const pair = await makePair(server);
    const { id: without } = await hireAndStart(pair);
    await pair.agent.agora.tasks.complete(without, { output: goodOutput });
    expect(await refusalOf(pair.buyer.agora.tasks.changes(without))).toBe('404 CHANGES_NOT_FOUND');
    const { pair: other, id } = await delivered('echo new > new.txt');
    expect(await refusalOf(pair.buyer.agora.tasks.patch(id))).toBe('403 NOT_A_PARTY');
    await pass(server, 7 * day);
    expect(await refusalOf(other.agent.agora.tasks.changes(id))).toBe('404 CHANGES_NOT_FOUND');
    expect(await refusalOf(other.agent.agora.tasks.patch(id))).toBe('404 CHANGES_NOT_FOUND');
  });

  test('goes into a clone of the repository that the task began with', async () => {
    const remote = await startGitServer();
    git(remote.root, 'init', '--initial-branch=main', 'project');
    const project = join(remote.root, 'project');
    for (const name of ['main.js', 'README.md']) writeFileSync(join(project, name), `${name}: a - b\n`);
    git(project, 'add', '-A');
    git(project, 'commit', '--quiet', '-m', 'one');
    const repo = { url: `${remote.url}/project` };
    const { pair, id } = await delivered("sed -i 's/a - b/a + b/' main.js; rm README.md", { repo });
    const clone = mkdtempSync(join(tmpdir(), 'agora-clone-'));
    // Its server is in this process.
    await promisify(execFile)('git', ['clone', '-q', repo.url, clone]);
    const after = applied(clone, await patchOf(pair, id));
    expect(after.split('\n').map((line) => line.slice(66))).toEqual(['./main.js', '']);
    await remote.close();
  });
});
