/** For what measures the drivers from outside this package. */

export { startPodman, type TestEngine } from './docker/local-engine.ts';
export { containerSpec } from './docker/spec.ts';
