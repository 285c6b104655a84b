import type { SandboxLimits } from '../driver.ts';
import type { Cgroup } from './cgroup.ts';
import {
  countFiles,
  ownMemory,
  type ProcessId,
  type ProcessSample,
  sampleProcesses,
  signal,
  treeOf,
} from './processes.ts';

/**
 * Checks every live sandbox ten times a second and does what the kernel does not do for us. With control groups that is
 * one thing: processes and files share one charge there (`chargedBytes`), so it keeps the processes below
 * `memoryBytes`. Without them it also sums up memory, and stops the processes while they are above their CPU share.
 */

const INTERVAL_MS = 100;
const KERNEL_GROWTH_BYTES = 1024 * 1024;
/** Kernel memory of an empty file, if nobody counts it for us. */
const BYTES_PER_INODE = 1024;
/** CPU time a sandbox may be ahead of its share before it is stopped, and the most it can save up. */
const CPU_SLACK_MS = 100;

export interface MonitoredSandbox {
  limits: SandboxLimits;
  /** The outer bubblewrap process; it and the agent are never ended by us. */
  outerPid: number;
  agentPid: number;
  cgroup: Cgroup | undefined;
  /** Its commands are already paused and must not be resumed from here. */
  isPaused(): boolean;
}

interface State {
  subject: MonitoredSandbox;
  kernelBytes: number;
  files: number;
  /** The last check ended commands; growth since then may still be theirs. */
  ended: boolean;
  cpuMs: number;
  debtMs: number;
  stopped: boolean;
}

export class ResourceMonitor {
  #states = new Set<State>();
  #timer: NodeJS.Timeout | undefined;
  #lastTick = performance.now();

  watch(subject: MonitoredSandbox): () => void {
    const state: State = { subject, kernelBytes: 0, files: 0, ended: false, cpuMs: 0, debtMs: 0, stopped: false };
    this.#states.add(state);
    this.#timer ??= setInterval(() => this.#tick(), INTERVAL_MS).unref();
    return () => {
      this.#states.delete(state);
      if (this.#states.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #tick(): void {
    const now = performance.now();
    const elapsedMs = now - this.#lastTick;
    this.#lastTick = now;
    let samples: ProcessSample[] | undefined;
    for (const state of this.#states) {
      const { cgroup, outerPid, agentPid } = state.subject;
      if (cgroup?.has('memory')) this.#holdCharge(state, cgroup);
      if (cgroup?.has('memory') && cgroup.has('cpu')) continue;
      samples ??= sampleProcesses();
      const tree = treeOf(outerPid, samples);
      const commands = tree.filter(({ pid }) => pid !== outerPid && pid !== agentPid);
      if (!cgroup?.has('memory')) this.#holdUncharged(state, commands);
      if (!cgroup?.has('cpu')) this.#holdCpu(state, tree, commands, elapsedMs);
    }
  }

  #holdCharge(state: State, cgroup: Cgroup): void {
    const { limits, outerPid, agentPid } = state.subject;
    if (cgroup.usage() <= limits.memoryBytes) return;
    const { anonymous, kernel } = cgroup.usageInDetail();
    const grown = kernel - state.kernelBytes;
    state.kernelBytes = kernel;
    const commands = cgroup.members().filter(({ pid }) => pid !== outerPid && pid !== agentPid);
    if (anonymous > limits.memoryBytes) endLargest(commands, limits.memoryBytes);
    // Millions of empty files are kernel memory that outlives the process which made them. It must stop growing,
    // but a command that deletes them again must be let alone, so only growth past the limit ends the commands.
    else endGrowing(state, commands, anonymous + kernel > limits.memoryBytes && grown > KERNEL_GROWTH_BYTES);
  }

  #holdUncharged(state: State, commands: ProcessId[]): void {
    const { limits, agentPid } = state.subject;
    endLargest(commands, limits.memoryBytes);
    const files = countFiles(agentPid);
    endGrowing(state, commands, files > limits.memoryBytes / BYTES_PER_INODE && files > state.files);
    state.files = files;
  }

  #holdCpu(state: State, tree: ProcessSample[], commands: ProcessSample[], elapsedMs: number): void {
    const cpuMs = tree.reduce((sum, sample) => sum + sample.cpuMs, 0);
    const used = Math.max(0, cpuMs - state.cpuMs);
    state.cpuMs = cpuMs;
    state.debtMs = Math.max(-CPU_SLACK_MS, state.debtMs + used - state.subject.limits.cpus * elapsedMs);
    if (state.subject.isPaused()) return;
    if (state.debtMs > CPU_SLACK_MS) state.stopped = true;
    else if (state.stopped && state.debtMs <= 0) {
      state.stopped = false;
      for (const command of commands) signal(command, 'SIGCONT');
    }
    // Again at every turn, for processes that have come since.
    if (state.stopped) for (const command of commands) signal(command, 'SIGSTOP');
  }
}

function endGrowing(state: State, commands: ProcessId[], tooMuch: boolean): void {
  const end = tooMuch && !state.ended;
  if (end) for (const command of commands) signal(command, 'SIGKILL');
  state.ended = end;
}

/** Ends the largest processes until the rest fits. */
function endLargest(commands: ProcessId[], limitBytes: number): void {
  const sizes = commands
    .map((command) => ({ command, bytes: ownMemory(command.pid) }))
    .sort((a, b) => b.bytes - a.bytes);
  let sum = sizes.reduce((total, { bytes }) => total + bytes, 0);
  for (const { command, bytes } of sizes) {
    if (sum <= limitBytes) return;
    if (signal(command, 'SIGKILL')) sum -= bytes;
  }
}
