import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const demo = fileURLToPath(new URL('../../../../examples/dist/demo.js', import.meta.url));

/** Runs the example of a checkout in this process: its signals and its exit code are those of the command. */
export async function demoCommand(): Promise<void> {
  if (!existsSync(demo)) {
    throw new Error('The demo is an example of the source code, which is not here. Run `npm run demo` in a checkout.');
  }
  await import(pathToFileURL(demo).href);
}
