import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { SandboxLimits, Toolchain } from '../driver.ts';
import { kernelLimits } from '../limits.ts';
import { type HostFiles, hostBinds } from './host-files.ts';
import { type HostNode, NODE_PATH, nodeBinds } from './host-node.ts';

/** Starts a sandbox process; the protocol afterwards is not known here. */

export interface LaunchPlan {
  bwrap: string;
  setpriv: string;
  files: HostFiles;
  /** Mounted where the system has none of its own. */
  node: HostNode | undefined;
  limits: SandboxLimits;
  /** Distinguishes this sandbox's agent from all others on the host. */
  mark: string;
  /** The host user that it runs as. Undefined: the server's own user, which then is not root. */
  uid: number | undefined;
  /** A directory of the host, seen inside as `/input`. */
  inputDir: string;
  /** What `/workspace` starts with; null where it starts empty. */
  layer: MountedLayer | null;
  toolchains: readonly Toolchain[];
  /** Files of control groups to join. */
  joinFiles: string[];
  /** Limits that no control group enforces, so that each command gets them as rlimits. */
  rlimits: { memory: boolean; cpu: boolean };
}

export interface MountedLayer {
  /** The program that mounts it, `native/lay.c`. */
  program: string;
  /** Of the host, and the user that its files belong to. */
  directory: string;
  owner: number;
  /** An empty directory of the host. */
  place: string;
}

export type SandboxProcess = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };

/**
 * The process joins its control groups before it becomes bubblewrap, so nothing ever runs outside them. It joins while
 * it is still root, because nobody else may write there.
 */
const JOIN = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 97; shift; done; shift; exec "$@"';

/** Where the command `delivered` lies. */
export const CALLS_DIR = '/agora';

/** Where sandboxes see a toolchain. */
export const toolchainPlace = ({ name }: Pick<Toolchain, 'name'>): string => `/opt/tools/${name}`;

/** Where programs of the system and of the platform lie. */
const BASE_PATH = `${NODE_PATH}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:${CALLS_DIR}`;
const ENVIRONMENT = { PATH: BASE_PATH, HOME: '/tmp', LANG: 'C.UTF-8' };
export const BASE_ENVIRONMENT = { ...ENVIRONMENT, USER: 'agent', TERM: 'dumb' };

function bwrapArguments(plan: LaunchPlan): string[] {
  const { workspaceBytes, tmpBytes, shmBytes } = kernelLimits(plan.limits);
  const tmpfs = (bytes: number, path: string) => ['--size', String(bytes), '--tmpfs', path];
  return [
    ...['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup'],
    ...['--uid', '1000', '--gid', '1000', '--disable-userns', '--die-with-parent', '--new-session'],
    ...['--cap-drop', 'ALL', '--clearenv', '--hostname', 'sandbox'],
    ...hostBinds(plan.files),
    ...(plan.node ? nodeBinds(plan.node) : []),
    ...plan.toolchains.flatMap((each) => ['--ro-bind', each.directory, toolchainPlace(each)]),
    ...['--ro-bind', plan.inputDir, '/input', '--symlink', '/agent', `${CALLS_DIR}/delivered`],
    ...['--proc', '/proc', '--dev', '/dev', '--dir', '/run', '--dir', '/var', '--symlink', '/tmp', '/var/tmp'],
    ...tmpfs(tmpBytes, '/tmp'),
    ...(plan.layer ? ['--bind', join(plan.layer.place, 'm'), '/workspace'] : tmpfs(workspaceBytes, '/workspace')),
    ...tmpfs(shmBytes, '/dev/shm'),
    // Both are tmpfs without a size, so left writable they would be a disk without a limit.
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', '/workspace', '--as-pid-1', '--seccomp', '3'],
  ];
}

function agentArguments({ limits, mark, rlimits }: LaunchPlan): string[] {
  const dataBytes = rlimits.memory ? limits.memoryBytes : 0;
  const cpuSeconds = rlimits.cpu ? Math.ceil((limits.maxExecMs / 1000) * Math.max(1, limits.cpus)) : 0;
  return ['/agent', mark, String(limits.processes), String(dataBytes), String(cpuSeconds)];
}

/** Becomes the user, with the layer mounted before where there is one. */
function asUser({ setpriv, layer, limits }: LaunchPlan, uid: number): string[] {
  if (layer === null) return [setpriv, `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  const { program, directory, place, owner } = layer;
  return [program, directory, String(kernelLimits(limits).workspaceBytes), place, String(owner), String(uid)];
}

export function launch(plan: LaunchPlan): SandboxProcess {
  const command = [
    ...(plan.uid === undefined ? [] : asUser(plan, plan.uid)),
    plan.bwrap,
    ...bwrapArguments(plan),
    '--',
    ...agentArguments(plan),
  ];
  // bubblewrap reads the filter to its end, so each start needs a descriptor with a position of its own.
  const filter = openSync(plan.rlimits.memory ? plan.files.seccompDegraded : plan.files.seccomp, 'r');
  try {
    return spawn('/bin/sh', ['-c', JOIN, 'sh', ...plan.joinFiles, '--', ...command], {
      stdio: ['pipe', 'pipe', 'pipe', filter],
      // Away from the server's terminal and directory; nothing of its environment goes along.
      detached: true,
      cwd: '/',
      env: {},
    }) as SandboxProcess;
  } finally {
    closeSync(filter);
  }
}
