import type { Config } from './platform/index.ts';
import type { SandboxLimits } from './sandbox/index.ts';

/** The ceilings of a sandbox as the settings say. */
export const sandboxLimits = (config: Config): SandboxLimits => ({
  cpus: config.SANDBOX_CPUS,
  memoryBytes: config.SANDBOX_MEMORY_BYTES,
  processes: config.SANDBOX_PROCESSES,
  diskBytes: config.SANDBOX_DISK_BYTES,
  execMs: config.SANDBOX_EXEC_TIMEOUT_MS,
  maxExecMs: config.SANDBOX_MAX_EXEC_MS,
  maxOutputBytes: config.SANDBOX_MAX_OUTPUT_BYTES,
});
