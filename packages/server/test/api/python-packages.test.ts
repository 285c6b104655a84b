import { afterAll, expect, test } from 'vitest';
import { startPythonIndex, type TestWheel, wheelName } from '../support/python-index.ts';
import { hire, makePair, serverForFile } from './scene.ts';

/** Packages of Python that an input names: agent and gate start with them, without network. */

const rounding: TestWheel = {
  name: 'rounding_up',
  version: '1.2.0',
  files: { 'rounding_up.py': 'import words\n\ndef cents(dollars):\n    return round(dollars * 100)\n' },
  requires: ['words'],
};
const words: TestWheel = { name: 'words', version: '0.3', files: { 'words.py': 'HELLO = "hello"\n' } };
const older: TestWheel = { ...words, version: '0.2', files: { 'words.py': 'HELLO = "old"\n' } };
const newer: TestWheel = { ...words, version: '0.4', tags: 'cp399-cp399-manylinux_2_17_x86_64' };
const elsewhere: TestWheel = { ...words, name: 'elsewhere', tags: 'cp311-cp311-win_amd64' };
const index = await startPythonIndex([rounding, words, older, newer, elsewhere]);
afterAll(() => index.close());
const server = serverForFile({ config: { DEPENDENCY_REGISTRIES: `pypi=${index.url}` } });

const hashOf = (each: TestWheel) => `sha256:${index.hashes.get(wheelName(each))}`;
const project = {
  'shop.py': 'from rounding_up import cents\n\ndef total(dollars, shipping):\n    return cents(dollars)\n',
  'test_shop.py': [
    'import unittest',
    'from shop import total',
    'class Total(unittest.TestCase):',
    '    def test_shipping(self):',
    '        self.assertEqual(total(1.5, 250), 400)',
    '    def test_nothing(self):',
    '        self.assertEqual(total(0, 0), 0)',
  ].join('\n'),
};
const repaired =
  'from rounding_up import cents\n\ndef total(dollars, shipping):\n    return cents(dollars) + shipping\n';
const checks = [{ name: 'tests', command: 'python3 -m unittest -q' }];

async function judged(files: Record<string, string>, work: string | null) {
  const pair = await makePair(server);
  const input = {
    description: 'total() forgets the shipping.',
    files: { ...project, ...files },
    acceptance: { checks },
  };
  const { id } = await hire(pair, { taskType: 'bug_fix', input });
  const { sandbox, tasks } = pair.agent.agora;
  const { data } = await sandbox.provision(id);
  await tasks.start(id, { sandboxId: data.sandboxId });
  await sandbox.write(id, { path: work === null ? 'seen' : 'shop.py', content: work ?? '' });
  const { stdout } = (
    await sandbox.exec(id, { command: 'python3 -c "import rounding_up; print(rounding_up.words.HELLO)"' })
  ).data;
  const { assessmentId, status } = await tasks.complete(id, { output: { result: 'total() counts the shipping now.' } });
  const { criteria } = await pair.buyer.agora.courts.getAssessment(assessmentId as string);
  return { stdout, status, check: criteria.find(({ name }) => name === 'check: tests') };
}

const file = (each: TestWheel) => `{ file = "${wheelName(each)}", hash = "${hashOf(each)}" }`;
const locks: [string, Record<string, string>][] = [
  ['requirements with versions', { 'requirements.txt': 'rounding-up==1.2.0\nwords==0.3  # said\n' }],
  [
    'requirements with hashes, in two files',
    {
      'requirements.txt': `rounding_up==1.2.0 \\\n    --hash=${hashOf(rounding)}\n`,
      'requirements-dev.txt': `-r requirements.txt\n-e .\nwords==0.3 --hash=${hashOf(words)}\nelsewhere==0.3; sys_platform == "win32"\n`,
    },
  ],
  [
    'uv.lock',
    {
      'uv.lock': `version = 1\n${[rounding, older, words, newer, elsewhere]
        .map(({ name, version }, nth) => {
          const each = [rounding, older, words, newer, elsewhere][nth]!;
          return `[[package]]\nname = "${name.replaceAll('_', '-')}"\nversion = "${version}"\nsource = { registry = "https://pypi.org/simple" }\nwheels = [{ url = "https://files.pythonhosted.org/${wheelName(each)}", hash = "${hashOf(each)}", size = 1 }]\n`;
        })
        .join('\n')}\n[[package]]\nname = "shop"\nversion = "1"\nsource = { virtual = "." }\n`,
    },
  ],
  [
    'poetry.lock',
    {
      'poetry.lock': [rounding, words]
        .map((each) => `[[package]]\nname = "${each.name}"\nversion = "${each.version}"\nfiles = [${file(each)}]\n`)
        .join('\n'),
    },
  ],
];

test.each(locks)('%s: a repair passes with its packages', async (_, files) => {
  expect(await judged(files, repaired)).toMatchObject({
    stdout: 'hello\n',
    status: 'completed',
    check: { score: 100 },
  });
});

test('a delivery of nothing fails with the packages there', async () => {
  const { status, check } = await judged(locks[0]![1], null);
  expect({ status, check }).toMatchObject({ status: 'failed', check: { score: 0 } });
});

test('what a file is named for another hash is not taken, and the agent is not blamed', async () => {
  const wrong = `sha256:${'0'.repeat(64)}`;
  const files = { 'requirements.txt': `rounding-up==1.2.0 --hash=${wrong}\nwords==0.3 --hash=${hashOf(words)}\n` };
  const { status, check } = await judged(files, repaired);
  expect(status).toBe('completed');
  expect(check).toMatchObject({ score: null, evidence: expect.stringContaining('has no file of rounding-up 1.2.0') });
});

test('an index of the buyer’s own is not replaced by the public one, where anybody could give the package', async () => {
  const lines = '--extra-index-url https://packages.example.org/simple\nrounding-up==1.2.0\nwords==0.3\n';
  const { check, stdout } = await judged({ 'requirements.txt': lines }, repaired);
  expect(stdout).toBe('');
  expect(check).toMatchObject({
    score: null,
    evidence: expect.stringContaining('comes from packages.example.org'),
  });
});

test('requirements are read where others include them', async () => {
  const files = {
    'requirements.txt': '-c constraints.txt\n--require-hashes\n-r requirements/base.txt\n',
    'requirements/base.txt': 'rounding-up == 1.2\nwords==0.3.0\n',
    'constraints.txt': 'words==0.3\n',
  };
  expect(await judged(files, repaired)).toMatchObject({ stdout: 'hello\n', check: { score: 100 } });
});

test('a quote says that versions are missing', async () => {
  const { buyer } = await makePair(server);
  const files = { 'pyproject.toml': '[project]\nname = "shop"\ndependencies = ["words"]\n' };
  const { warnings } = await buyer.agora.tasks.quote({ taskType: 'bug_fix', input: { description: 'x', files } });
  expect(warnings.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^pyproject.toml names dependencies/),
  );
});
