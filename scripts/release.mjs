import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { reportFailure, root, SetupError, setup, useNewerNode } from './setup.mjs';

// `npm run release` writes all that is published into `release/`, or the directory that is named: npm packages, the Python
// client, what they are made of, and their sums. It publishes nothing.

const [, , named] = process.argv;
const target = resolve(named ?? join(root, 'release'));
const packages = ['contract', 'sdk', 'mcp', 'server', 'cli'].map((name) => join('packages', name));
const python = join('clients', 'python');
/** They build the Python client, in a venv of their own. */
const PYTHON_TOOLS = ['build==1.6.1', 'setuptools==84.0.0'];

function run(command, args, { cwd = root, env = {}, cure } = {}) {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, ...env }, maxBuffer: 64 << 20 };
  const { status, error, stdout, stderr } = spawnSync(command, args, options);
  if (status === 0) return stdout;
  const said = error?.message ?? `${stdout}${stderr}`.trim();
  throw new SetupError(`"${command} ${args.join(' ')}" failed: ${said}${cure ? `\n${cure}` : ''}`);
}

const say = (text) => process.stderr.write(`release: ${text}\n`);

function packNpm() {
  for (const name of packages) {
    copyFileSync(join(root, 'LICENSE'), join(root, name, 'LICENSE'));
    say(`packing ${name}`);
    run('npm', ['pack', '-w', name, '--ignore-scripts=false', '--pack-destination', target]);
  }
}

/** In a copy, for the tools leave their own files beside the sources. */
function packPython() {
  say(`packing ${python}`);
  const tools = join(root, 'node_modules', '.cache', `python-${PYTHON_TOOLS.join('-')}`);
  if (!existsSync(join(tools, 'ready'))) {
    const cure = 'It needs Python 3 with venv (on Debian: apt-get install -y python3-venv) and a registry of packages.';
    run('python3', ['-m', 'venv', '--clear', tools], { cure });
    run(join(tools, 'bin', 'pip'), ['install', '--quiet', ...PYTHON_TOOLS], { cure });
    writeFileSync(join(tools, 'ready'), '');
  }
  const copy = mkdtempSync(join(tmpdir(), 'agora-release-'));
  try {
    cpSync(join(root, python), copy, { recursive: true, filter: (path) => !/(__pycache__|tests)$/.test(path) });
    copyFileSync(join(root, 'LICENSE'), join(copy, 'LICENSE'));
    // So that the same sources give the same wheel.
    const env = { SOURCE_DATE_EPOCH: run('git', ['log', '-1', '--format=%ct']).trim() };
    run(join(tools, 'bin', 'python'), ['-m', 'build', '--no-isolation', '--outdir', target, copy], { env });
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** What the packages need, as the lockfile has it; the dashboard's is inside of the server's. npm leaves out our own. */
function listComponents(files) {
  const all = ['packages/cli', 'packages/dashboard'].flatMap((name) => ['-w', name]);
  const sbom = JSON.parse(run('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--omit=dev', ...all]));
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  sbom.metadata.component.name = name;
  const own = files.map((file) => ({
    'bom-ref': file,
    type: 'file',
    name: file,
    version,
    hashes: [{ alg: 'SHA-256', content: sumOf(file) }],
    licenses: [{ license: { id: license } }],
  }));
  sbom.components.unshift(...own);
  writeFileSync(join(target, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
}

const sumOf = (file) =>
  createHash('sha256')
    .update(readFileSync(join(target, file)))
    .digest('hex');

function release() {
  if (named === undefined) rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  if (readdirSync(target).length > 0) throw new SetupError(`${target} is not empty; name a directory that is.`);
  packNpm();
  packPython();
  listComponents(readdirSync(target).sort());
  const files = readdirSync(target).sort();
  writeFileSync(join(target, 'SHA256SUMS'), files.map((file) => `${sumOf(file)}  ${file}\n`).join(''));
  say(`wrote ${files.length + 1} files into ${target}`);
}

useNewerNode()
  .then(() => setup())
  .then(release)
  .catch(reportFailure);
