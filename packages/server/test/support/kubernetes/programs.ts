import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The programs of a cluster, which `npm run test:kubernetes` builds (`scripts/kubernetes.mjs`) before any test runs. */

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agora/kubernetes');

export function kubernetesProgram(name: string): string {
  const places = [join(cache, 'bin', name), join(cache, 'tree/usr/bin', name)];
  const found = places.find(existsSync);
  if (!found) throw new Error(`${name} is not in ${cache}. Run npm run test:kubernetes, which builds it.`);
  return found;
}

/** Where containerd finds those that it starts. */
export const kubernetesPath = `${join(cache, 'tree/usr/bin')}:${join(cache, 'tree/usr/sbin')}:/usr/sbin:/usr/bin:/sbin:/bin`;
/** Where those lie that lay the network of a Pod. */
export const networkPrograms = join(cache, 'tree/usr/lib/cni');
