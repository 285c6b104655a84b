/** For what measures the drivers from outside this package. */
export { containerSpec } from './docker-spec.ts';
export { startPodman, type TestEngine } from './test-podman.ts';
