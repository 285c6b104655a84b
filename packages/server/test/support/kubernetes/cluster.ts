import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { freePort } from '../free-port.ts';
import { buildImages, IMAGES } from './images.ts';
import { kubernetesPath, kubernetesProgram, networkPrograms } from './programs.ts';

/** A cluster of one node for tests: etcd, Kubernetes and containerd, on this machine, which leaves nothing behind. */
export interface TestCluster {
  kubeconfig: string;
  directory: string;
  image: string;
  agentImage: string;
  /** The network device that joins the Pods with this machine. */
  bridge: string;
  /** Asks the API as its administrator. */
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }>;
  /** Ends one of its programs, or begins it again. */
  end(name: ProgramName, signal?: NodeJS.Signals): Promise<void>;
  begin(name: ProgramName): void;
  stop(): Promise<void>;
}

export type ProgramName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-scheduler'
  | 'kube-controller-manager'
  | 'containerd'
  | 'kubelet';

const START_MS = 120_000;
const NODE = 'agora-test-node';

export async function startCluster(): Promise<TestCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'agora-kubernetes-'));
  const at = (name: string) => join(directory, name);
  const token = randomBytes(16).toString('hex');
  const [etcd, peer, api] = [await freePort(), await freePort(), await freePort()];
  const kubelet = await freePort();
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(at('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(at('pub.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(at('tokens.csv'), `${token},admin,admin,system:masters\n`);
  writeFileSync(at('kubeconfig'), kubeconfig(`https://127.0.0.1:${api}`, token));
  const bridge = `ag${randomBytes(4).toString('hex')}`;
  const third = 16 + (process.pid % 200);
  writeContainerd(at, bridge, `10.231.${third}.0/24`);
  const socket = at('containerd.sock');

  const commands: Record<ProgramName, string[]> = {
    etcd: [
      `--data-dir=${at('etcd')}`,
      `--listen-client-urls=http://127.0.0.1:${etcd}`,
      `--advertise-client-urls=http://127.0.0.1:${etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      '--unsafe-no-fsync',
    ],
    'kube-apiserver': [
      `--etcd-servers=http://127.0.0.1:${etcd}`,
      `--secure-port=${api}`,
      '--bind-address=127.0.0.1',
      `--cert-dir=${at('certs')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${at('pub.pem')}`,
      `--service-account-signing-key-file=${at('key.pem')}`,
      `--token-auth-file=${at('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.230.0.0/24',
    ],
    'kube-scheduler': [`--kubeconfig=${at('kubeconfig')}`, '--leader-elect=false', '--port=0', '--secure-port=0'],
    'kube-controller-manager': [
      `--kubeconfig=${at('kubeconfig')}`,
      '--leader-elect=false',
      '--port=0',
      '--secure-port=0',
      `--service-account-private-key-file=${at('key.pem')}`,
      '--controllers=*,-ttl,-bootstrapsigner,-tokencleaner',
    ],
    containerd: ['--config', at('containerd.toml')],
    kubelet: [
      `--kubeconfig=${at('kubeconfig')}`,
      `--config=${at('kubelet.yaml')}`,
      `--root-dir=${at('kubelet')}`,
      '--container-runtime=remote',
      `--container-runtime-endpoint=unix://${socket}`,
      `--hostname-override=${NODE}`,
      `--pod-infra-container-image=${IMAGES.pause}`,
      '--v=2',
    ],
  };
  writeFileSync(
    at('kubelet.yaml'),
    `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
port: ${kubelet}
healthzPort: 0
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupsPerQOS: true
enforceNodeAllocatable: []
failSwapOn: false
evictionHard: {}
imageGCHighThresholdPercent: 100
resolvConf: ""
clusterDNS: []
featureGates: {SizeMemoryBackedVolumes: true}
nodeStatusUpdateFrequency: 1s
registryPullQPS: 0
eventRecordQPS: 0
`,
  );

  const running = new Map<ProgramName, ChildProcess>();
  // A run that is interrupted calls nobody back.
  process.once('exit', () => {
    for (const child of running.values()) child.kill('SIGKILL');
  });
  const begin = (name: ProgramName) => {
    const log = openSync(at(`${name}.log`), 'a');
    const child = spawn(kubernetesProgram(name), commands[name], {
      cwd: directory,
      stdio: ['ignore', log, log],
      env: { PATH: kubernetesPath, HOME: directory, ...(name === 'kubelet' && { TMPDIR: directory }) },
    });
    running.set(name, child);
  };
  const end = async (name: ProgramName, signal: NodeJS.Signals = 'SIGKILL') => {
    const child = running.get(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  };
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const call: TestCluster['call'] = async <T>(method: string, path: string, body?: unknown) => {
    const { statusCode, body: reply } = await request(`https://127.0.0.1:${api}${path}`, {
      dispatcher,
      method: method as 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: statusCode, body: (text.startsWith('{') ? JSON.parse(text) : text) as T };
  };
  const until = async (what: string, is: () => Promise<boolean>) => {
    for (const limit = performance.now() + START_MS; performance.now() < limit; await sleep(100)) {
      if (await is().catch(() => false)) return;
      for (const [name, child] of running) {
        if (child.exitCode !== null) throw new Error(`${name} ended: ${lastWords(at(`${name}.log`))}`);
      }
    }
    throw new Error(`${what} did not come: ${lastWords(at('kubelet.log'))}`);
  };

  async function stop(): Promise<void> {
    for (const name of ['kube-scheduler', 'kube-controller-manager', 'kubelet', 'kube-apiserver', 'etcd'] as const)
      await end(name);
    endContainers(socket);
    await end('containerd');
    await dispatcher.destroy();
    spawnSync('ip', ['link', 'delete', bridge]);
    unmountBelow(directory);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }

  try {
    mkdirSync(at('images'));
    const images = buildImages(at('images'));
    begin('etcd');
    begin('containerd');
    begin('kube-apiserver');
    await until('containerd', async () => ctr(socket, 'version').status === 0);
    for (const archive of Object.values(images)) {
      const imported = ctr(socket, 'images', 'import', archive);
      if (imported.status !== 0) throw new Error(`ctr: ${imported.stderr}`);
    }
    await until('the API', async () => (await call('GET', '/readyz')).status === 200);
    for (const name of ['kube-scheduler', 'kube-controller-manager', 'kubelet'] as const) begin(name);
    await until('the node', async () => {
      const { body } = await call<{ status?: { conditions?: { type: string; status: string }[] } }>(
        'GET',
        `/api/v1/nodes/${NODE}`,
      );
      return body.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    });
    await until(
      'a service account',
      async () => (await call('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200,
    );
  } catch (error) {
    if (!process.env.AGORA_KEEP) await stop();
    throw error;
  }
  return {
    kubeconfig: at('kubeconfig'),
    directory,
    image: IMAGES.sandbox,
    agentImage: IMAGES.agent,
    bridge,
    call,
    end,
    begin,
    stop,
  };
}

function ctr(socket: string, ...args: string[]) {
  return spawnSync(kubernetesProgram('ctr'), ['-a', socket, '-n', 'k8s.io', ...args], { encoding: 'utf8' });
}

/** What runs below containerd outlives it. */
function endContainers(socket: string): void {
  const tasks = ctr(socket, 'tasks', 'list', '-q').stdout?.split('\n').filter(Boolean) ?? [];
  for (const task of tasks) ctr(socket, 'tasks', 'kill', '-s', 'SIGKILL', task);
  for (const task of tasks) ctr(socket, 'tasks', 'delete', '-f', task);
}

function unmountBelow(directory: string): void {
  const places = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? [])
    .filter((place) => place.startsWith(`${directory}/`));
  for (const place of places.reverse()) spawnSync('umount', ['-l', place]);
}

const lastWords = (file: string) => execFileSync('tail', ['-n', '12', file], { encoding: 'utf8' });

const kubeconfig = (server: string, token: string) => `apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "${server}", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: "${token}"}}]
contexts: [{name: test, context: {cluster: test, user: admin, namespace: default}}]
current-context: test
`;

function writeContainerd(at: (name: string) => string, bridge: string, subnet: string): void {
  mkdirSync(at('cni'));
  const network = {
    cniVersion: '0.4.0',
    name: bridge,
    plugins: [
      {
        type: 'bridge',
        bridge,
        isGateway: true,
        ipMasq: false,
        ipam: { type: 'host-local', dataDir: at('ipam'), ranges: [[{ subnet }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
    ],
  };
  writeFileSync(at('cni/10-test.conflist'), JSON.stringify(network));
  writeFileSync(
    at('containerd.toml'),
    `version = 2
root = "${at('containerd')}"
state = "${at('containerd-state')}"
[grpc]
address = "${at('containerd.sock')}"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${IMAGES.pause}"
disable_tcp_service = true
restrict_oom_score_adj = true
disable_apparmor = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "${networkPrograms}"
conf_dir = "${at('cni')}"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
`,
  );
}
