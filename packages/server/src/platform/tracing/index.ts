export { follow, inSpan, openTracing, type Roots, type Tracing } from './tracing.ts';
