import { type Ecosystem, type Found, type FoundProject, headBytes, layeredIn } from '../ecosystem.ts';
import { problem } from '../problems.ts';
import { environmentPath, wantedOfPython } from './wanted.ts';

/** Projects whose packages pip installs into a virtual environment. */
export const python: Ecosystem = {
  registry: 'pypi',
  projectsIn,
  versions: `python3 -c 'import sys, platform; print(sys.version_info[0], sys.version_info[1], platform.machine())'; pip3 --version`,
  wantedOf: wantedOfPython,
  layeredAt: layeredIn(environmentPath),
  needs: (layered) => (layered.includes(environmentPath) ? { programs: [`${environmentPath}/bin`] } : {}),
};

const locksInOrder = ['uv.lock', 'poetry.lock'];
const requirements = /^(?:(?:dev|test|tests)[-_])?requirements(?:[-_.][\w-]{1,40})?\.txt$/;

/** At the root alone, where tools look for it. One lock, or the requirements with what they may include. */
function projectsIn(files: readonly FoundProject['locks'][number][]): Found {
  if (files.some(({ path }) => path.startsWith(`${environmentPath}/`))) return { projects: [], problems: [] };
  const root = files.filter(({ path }) => !path.includes('/'));
  const lock = locksInOrder.map((name) => root.find(({ path }) => path === name)).find((file) => file !== undefined);
  const locks = lock ? [lock] : root.filter(({ path }) => requirements.test(path));
  const manifests = lock ? [] : files.filter(({ path }) => /^requirements\/[\w.-]{1,100}\.txt$/.test(path));
  if (locks.length > 0) return { projects: [{ directory: '', locks, manifests }], problems: [] };
  const manifest = root.find(({ path }) => path === 'pyproject.toml');
  const head = manifest?.content.subarray(0, headBytes).toString('utf8') ?? '';
  if (manifest === undefined || !/^dependencies\s*=\s*\[\s*["']/m.test(head)) return { projects: [], problems: [] };
  const name = 'uv.lock, poetry.lock or a requirements.txt with versions';
  return { projects: [], problems: [problem('no_lock', { ...manifest, name })] };
}
