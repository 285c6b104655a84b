import { createRequire } from 'node:module';
import { join } from 'node:path';

// Runtimes as npm packages, so that a test needs no program that is installed by hand.

const require = createRequire(import.meta.url);

/** The directory of an installed package. */
const directoryOf = (name: string) => join(require.resolve(`${name}/package.json`), '..');

const isArm = process.arch === 'arm64';

/** The oldest Node that the SDK runs on; the server and the command need a newer one. */
export const node20 = () => join(directoryOf(`node-20-linux-${process.arch}`), 'bin', 'node');
export const bun = () => join(directoryOf(`@oven/bun-linux-${isArm ? 'aarch64' : 'x64'}`), 'bin', 'bun');
export const deno = () => join(directoryOf(`@deno/linux-${process.arch}-glibc`), 'deno');
