export { inStretches, joined } from './stretches.ts';
