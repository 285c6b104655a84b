import type { Config } from './platform/index.ts';
import type { QuotaSettings, SandboxLimits } from './sandbox/index.ts';

/** The ceilings of a sandbox as the settings say. */
export const sandboxLimits = (config: Config): SandboxLimits => ({
  cpus: config.SANDBOX_CPUS,
  memoryBytes: config.SANDBOX_MEMORY_BYTES,
  processes: config.SANDBOX_PROCESSES,
  diskBytes: config.SANDBOX_DISK_BYTES,
  execMs: config.SANDBOX_EXEC_TIMEOUT_MS,
  maxExecMs: config.SANDBOX_MAX_EXEC_MS,
  maxOutputBytes: config.SANDBOX_MAX_OUTPUT_BYTES,
  maxStreamBytes: config.SANDBOX_MAX_STREAM_BYTES,
  background: config.SANDBOX_BACKGROUND,
  backgroundOutputBytes: config.SANDBOX_BACKGROUND_OUTPUT_BYTES,
});

/** CPU time and disk that a task's sandbox may use before it is paused. */
export const sandboxQuota = (config: Config): QuotaSettings => ({
  cpuMs: config.SANDBOX_CPU_QUOTA_MS,
  diskBytes: config.SANDBOX_DISK_QUOTA_BYTES,
  resumes: config.SANDBOX_RESUMES,
});
