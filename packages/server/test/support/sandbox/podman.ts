// Of the benches, so that no published package has it.
export { startPodman, type TestEngine } from '../../../../../bench/src/measure/podman.ts';
