import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AgentSandbox } from '../agent/sandbox.ts';
import {
  type Enforcement,
  type Layer,
  type Sandbox,
  type SandboxDriver,
  SandboxError,
  type SandboxLimits,
  type SandboxStart,
} from '../driver.ts';
import { checkLimits, DEFAULT_LIMITS } from '../limits.ts';
import { buildNative } from '../native.ts';
import { tryOut } from '../try-out.ts';
import { Cgroup } from './cgroup.ts';
import { CONTROLLERS, findGroupHomes, type GroupHomes, groupNames } from './cgroup-tree.ts';
import { findProgram, type HostFiles, placeHostFiles } from './host-files.ts';
import { findHostNode, type HostNode, readableByAll } from './host-node.ts';
import { clearInputHome, InputDir, prepareInputHome } from './input-dir.ts';
import { launch, type MountedLayer, type SandboxProcess } from './launch.ts';
import { findAgents, isOwnerAlive, ownerTag } from './owner.ts';
import { ProcessHandle, signal } from './processes.ts';
import { ResourceMonitor } from './resource-monitor.ts';
import { createUids, type Uids } from './uids.ts';

export interface BwrapSettings {
  /** Letters, digits, `-` and `_`. Two installations on one machine need different ones. */
  installationId: string;
  /** Where the built agent and filter lie. */
  nativeDir?: string;
  /** Where they are written for the sandboxes to read: below `/run` for root, otherwise below `/tmp`. */
  runtimeDir?: string;
  /** Where inputs lie while their sandbox lives: on disk and reachable for every user, below `/var/tmp`. */
  inputHome?: string;
  bwrapPath?: string;
  /** `off` runs degraded, by rlimits and watching alone. */
  controlGroups?: 'auto' | 'off';
}

/** What is found out once and used for every sandbox. */
interface Ground {
  bwrap: string;
  setpriv: string;
  files: HostFiles;
  node: HostNode | undefined;
  groups: GroupHomes;
  enforcement: Enforcement;
  uids: Uids | undefined;
}

/** A sandbox that is starting, with its resources. */
interface Started {
  id: string;
  limits: SandboxLimits;
  child: SandboxProcess;
  cgroup: Cgroup | undefined;
  input: InputDir;
  start: SandboxStart;
  /** Whether the layer is there from the start; else it is copied. */
  isMounted: boolean;
  /** Called when nothing of it is left. */
  release: () => void;
}

const START_TIMEOUT_MS = 10_000;
const LISTEN_MS = 500;
const LIMIT_NAMES = { memory: 'memory', pids: 'processes', cpu: 'CPU' };

export class BwrapDriver implements SandboxDriver {
  readonly name = 'bwrap';
  readonly #settings: BwrapSettings;
  readonly #owner = ownerTag();
  readonly #monitor = new ResourceMonitor();
  #ground: Ground | undefined;
  #count = 0;
  #canMount: boolean | undefined;

  constructor(settings: BwrapSettings) {
    if (!/^[A-Za-z0-9_-]{1,60}$/.test(settings.installationId)) throw new RangeError('A malformed installation id.');
    this.#settings = settings;
  }

  async probe(): ReturnType<SandboxDriver['probe']> {
    return tryOut(() => this.create('probe', DEFAULT_LIMITS));
  }

  async create(id: string, limits: SandboxLimits, start: SandboxStart = {}): Promise<Sandbox> {
    checkLimits(limits);
    const ground = this.#ready();
    const name = `${this.#owner}.${++this.#count}`;
    const cgroup = ground.groups.homes.length > 0 ? new Cgroup(ground.groups.homes, name) : undefined;
    const uid = ground.uids?.take();
    let child: SandboxProcess;
    let input: InputDir | undefined;
    const { layer, toolchains = [] } = start;
    const isMounted = layer !== undefined && this.#mountsLayers(ground);
    try {
      cgroup?.create(limits);
      input = new InputDir(this.#inputHome(), name, uid);
      const rlimits = { memory: !cgroup?.has('memory'), cpu: !cgroup?.has('cpu') };
      const joinFiles = cgroup?.joinFiles ?? [];
      const mark = `${this.#markPrefix()}${name}`;
      const mounted = isMounted ? mountedLayer(ground.files, layer, input) : null;
      child = launch({
        ...{ ...ground, limits, mark, uid, inputDir: input.path },
        ...{ layer: mounted, toolchains, joinFiles, rlimits },
      });
    } catch (error) {
      await cgroup?.destroy();
      await input?.remove();
      if (uid !== undefined) ground.uids?.release(uid);
      throw unavailable(error);
    }
    const release = () => uid !== undefined && ground.uids?.release(uid);
    return this.#attach({ id, limits, child, cgroup, input, start, isMounted, release });
  }

  async reclaim(): Promise<void> {
    // Even if sandboxes cannot run now, something may be left from the time when they could.
    if (process.platform !== 'linux') return;
    const groups = this.#findGroups();
    for (const agent of findAgents(this.#markPrefix())) {
      if (!isOwnerAlive(agent.mark.slice(this.#markPrefix().length).split('.')[0]!)) signal(agent, 'SIGKILL');
    }
    const dead = groupNames(groups.homes).filter((name) => !isOwnerAlive(name.split('.')[0]!));
    await Promise.all(dead.map((name) => new Cgroup(groups.homes, name).destroy()));
    clearInputHome(this.#inputHome());
  }

  /** Removes this installation's files from the host; for tests and benches, which have an installation each. */
  forget(): void {
    for (const home of this.#ground?.groups.homes ?? []) {
      try {
        rmdirSync(home.dir);
      } catch {
        // Another process of the installation still has sandboxes there.
      }
    }
    if (this.#ground) rmSync(dirname(this.#ground.files.etc), { recursive: true, force: true });
    rmSync(this.#inputHome(), { recursive: true, force: true });
    this.#ground = undefined;
  }

  #markPrefix(): string {
    return `agora/${this.#settings.installationId}/`;
  }

  #inputHome(): string {
    const { inputHome, installationId } = this.#settings;
    return inputHome ?? join('/var/tmp', `agora-inputs-${process.getuid?.()}-${installationId}`);
  }

  #findGroups(): GroupHomes {
    if (this.#settings.controlGroups === 'off') return noGroups('switched off by a setting');
    return findGroupHomes(`agora-${this.#settings.installationId}`);
  }

  #ready(): Ground {
    try {
      return this.#prepare();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Whether this kernel lets root mount a layer; tried once. */
  #mountsLayers({ files, uids }: Ground): boolean {
    if (uids === undefined) return false;
    if (this.#canMount === undefined) {
      const place = mkdtempSync(join(this.#inputHome(), `${this.#owner}.try-`));
      const { status } = spawnSync(files.lay, [place, '4096', place, '0', '1', '/bin/true'], { env: {}, cwd: '/' });
      rmSync(place, { recursive: true, force: true });
      this.#canMount = status === 0;
    }
    return this.#canMount;
  }

  /** Tried again after a failure, so that nobody must restart the server after installing what was missing. */
  #prepare(): Ground {
    if (this.#ground) return this.#ground;
    const { installationId, nativeDir, bwrapPath } = this.#settings;
    const bwrap = findProgram(bwrapPath ? [bwrapPath] : ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap']);
    const setpriv = findProgram(['/usr/bin/setpriv', '/bin/setpriv']);
    const isRoot = process.getuid?.() === 0;
    if (process.platform !== 'linux') throw unavailable('bubblewrap sandboxes need Linux.');
    if (!bwrap) throw unavailable('bubblewrap is not installed. Cure: apt-get install -y bubblewrap');
    if (isRoot && !setpriv) throw unavailable('setpriv is not installed. Cure: apt-get install -y util-linux');
    // Directly in a directory where nobody else can move it away.
    const place = join(isRoot ? '/run' : '/tmp', `agora-sandbox-${process.getuid?.()}-${installationId}`);
    const files = placeHostFiles(nativeDir ?? buildNative(), this.#settings.runtimeDir ?? place);
    prepareInputHome(this.#inputHome());
    const uids = createUids(installationId);
    const found = findHostNode();
    const node = found && uids ? readableByAll(found, join(this.#inputHome(), `${this.#owner}.node`)) : found;
    const groups = this.#findGroups();
    this.#ground = { bwrap, setpriv: setpriv ?? '', files, node, groups, enforcement: enforcementOf(groups), uids };
    return this.#ground;
  }

  async #attach({ id, limits, child, cgroup, input, start, isMounted, release }: Started): Promise<Sandbox> {
    let complaint = '';
    let agent: ProcessHandle | undefined;
    let unwatch = () => {};
    child.stderr.on('data', (bytes: Buffer) => {
      complaint = (complaint + bytes.toString()).slice(0, 2_000);
    });
    const exited = new Promise<void>((resolve) => {
      child.on('error', () => resolve());
      child.on('exit', () => resolve());
    });
    const cleared = exited.then(async () => {
      unwatch();
      await (cgroup ? cgroup.destroy() : untilGone(agent));
      agent?.close();
      await input.remove();
      release();
    });
    // Nobody waits for the end of a sandbox, and an unhandled rejection would stop the server. If something is left, it
    // keeps its user id, so that no other sandbox gets that id. The next start removes it.
    const closed = cleared.catch((error) => {
      process.emitWarning(`Sandbox ${id} left something behind: ${reason(error)}`);
    });
    let ending: Promise<void> | undefined;
    const end = () => {
      ending ??= endProcesses(child, cgroup)
        .then(() => cleared)
        .catch((error) => {
          ending = undefined;
          throw error;
        });
      return ending;
    };
    const { enforcement } = this.#ground ?? this.#prepare();
    const cpuMs = cgroup?.countsCpu ? () => cgroup.cpuMs() : undefined;
    const sandbox = new AgentSandbox({ id, limits, enforcement, closed, input, cpuMs, start }, child, end);
    const timer = setTimeout(() => end().catch(() => undefined), START_TIMEOUT_MS);
    try {
      await sandbox.ready;
      clearTimeout(timer);
      if (!isMounted) await sandbox.copyLayer();
    } catch {
      // The failed start is reported here; `closed` reports what it left.
      await end().catch(() => undefined);
      throw unavailable(explain(complaint));
    } finally {
      clearTimeout(timer);
    }
    const outerPid = child.pid!;
    // Where it ended meanwhile nobody has asked how yet, so its number is still its own.
    if (child.exitCode === null && child.signalCode === null) agent = ProcessHandle.childOf(outerPid);
    const agentPid = agent?.pid ?? 0;
    unwatch = this.#monitor.watch({ limits, outerPid, agentPid, cgroup, isPaused: () => sandbox.paused });
    return sandbox;
  }
}

function mountedLayer(
  { lay: program }: HostFiles,
  { directory }: Layer,
  { layerPlace: place }: InputDir,
): MountedLayer {
  mkdirSync(place);
  return { program, directory, owner: process.getuid?.() ?? 0, place };
}

/**
 * The sandbox agent ends at the end of its input. As pid 1 of its namespace it takes every other process of the sandbox
 * with it, and bubblewrap follows. This needs no pid, which might belong to another process by then. If the agent does
 * not end, it dies with bubblewrap (`--die-with-parent`). Bubblewrap is our child, so its pid stays its own until we
 * have collected its exit status.
 */
async function endProcesses(child: SandboxProcess, cgroup: Cgroup | undefined): Promise<void> {
  await cgroup?.destroy();
  child.stdin.destroy();
  if (child.exitCode === null && child.signalCode === null) {
    const timer = setTimeout(() => child.kill('SIGKILL'), LISTEN_MS);
    child.once('exit', () => clearTimeout(timer));
  }
}

/** Pid 1 of a namespace is gone after all others in it. */
async function untilGone(agent: ProcessHandle | undefined): Promise<void> {
  while (agent && !agent.isGone()) await new Promise((resolve) => setTimeout(resolve, 2));
}

function enforcementOf({ missing }: GroupHomes): Enforcement {
  const without = CONTROLLERS.filter((controller) => missing[controller] !== undefined);
  if (without.length === 0) return { limits: 'enforced', notes: [] };
  const names = without.map((name) => LIMIT_NAMES[name]).join(', ');
  // The same refusal for each, but for the path that it ends with.
  const reasons = [...new Set(without.map((name) => missing[name]?.replace(/, \w+ '\/.*$/, '')))].join('; ');
  const isRoot = process.getuid?.() === 0;
  return { limits: 'degraded', notes: [`no control group for ${names} (${reasons})`, isRoot ? ROOTS_CURE : CURE] };
}

const CURE = 'Cure: run the server as root, or as a service of systemd with Delegate=yes';
const ROOTS_CURE = 'Cure: give the server a writable /sys/fs/cgroup; in a container it has to be mounted so';

function noGroups(why: string): GroupHomes {
  return { homes: [], missing: { memory: why, pids: why, cpu: why } };
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

function unavailable(cause: unknown): SandboxError {
  if (cause instanceof SandboxError) return cause;
  return new SandboxError('SANDBOX_UNAVAILABLE', reason(cause));
}

/** Bubblewrap's messages are for experts; these are the usual causes. */
function explain(complaint: string): string {
  const said = complaint.trim() || 'it ended without a word';
  if (/^setpriv:/.test(said)) {
    return `The server runs as root and may not change its user (${said}). Cure: run it as an ordinary user, or give it the capabilities SETUID and SETGID.`;
  }
  if (/namespace|Operation not permitted|uid map/i.test(said)) {
    const cure = 'Cure: sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000';
    return `This system allows no user namespaces (${said}). ${cure}, on Ubuntu also ${UBUNTU}; more in docs/sandbox.md.`;
  }
  return `A sandbox could not be started: ${said}`;
}

const UBUNTU = 'kernel.apparmor_restrict_unprivileged_userns=0';
