export { mountA2a } from './mount.ts';
