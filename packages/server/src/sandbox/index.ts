export { isText, wholeCharacters } from './agent/decode.ts';
export {
  type ArchiveEntry,
  type ArchiveHead,
  encodeArchive,
  headAt,
  headBytes,
  readArchive,
  readSnapshot,
  type SnapshotEntry,
  setModified,
} from './archive.ts';
export { toolchainPlace } from './bwrap/launch.ts';
export { configuredDriver, driverSettings, namedImages } from './configured.ts';
export { createSandboxDriver, type SandboxSettings } from './create.ts';
export { unpack } from './directory.ts';
export { fateOf, serverTag } from './docker/owner.ts';
export { containerSpec } from './docker/spec.ts';
export * from './driver.ts';
export { doorImage } from './kubernetes/image.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export { buildNative } from './native.ts';
export { bytesOf, pathOf } from './path-bytes.ts';
export type { Pause, QuotaSettings } from './quota.ts';
export { quote } from './quote.ts';
export { REPORTERS_PATH } from './reporters.ts';
export { type CreateOptions, type LiveSandbox, Sandboxes, type SandboxesSettings } from './sandboxes.ts';
export { type SandboxState, sandboxState } from './state.ts';
export {
  type AddedToolchain,
  compareVersions,
  isVersion,
  readToolchains,
  type ToolchainRecord,
  toolchainFile,
  toolsDirectory,
  treeName,
} from './toolchains.ts';
