import { posix } from 'node:path';
import {
  directoryOf,
  type Ecosystem,
  type Found,
  type FoundProject,
  giveManifests,
  headBytes,
  layeredIn,
  outermost,
} from '../ecosystem.ts';
import { problem } from '../problems.ts';
import { goEnvironment, modulesPath, wantedOfGo } from './wanted.ts';

/** Projects with a go.mod, whose modules are found by variables. */
export const go: Ecosystem = {
  registry: 'go',
  projectsIn,
  versions: 'GOTOOLCHAIN=local go version',
  wantedOf: wantedOfGo,
  layeredAt: layeredIn(modulesPath),
  needs: (layered) => (layered.includes(modulesPath) ? { environment: goEnvironment } : {}),
};

type File = FoundProject['locks'][number];

const sumNames = ['go.sum', 'go.work.sum'];
const modNames = ['go.mod', 'go.work'];

/** One with a go.work takes all modules below; else each directory with a go.mod and a go.sum is one. */
function projectsIn(files: readonly File[]): Found {
  const vendored = new Set(files.map(({ path }) => path).filter((path) => path.endsWith('vendor/modules.txt')));
  const own = files.filter(({ path }) => !/(?:^|\/)(?:vendor|testdata)\//.test(path));
  const byPath = new Map(own.map((file) => [file.path, file]));
  const named = (names: string[]) => own.filter(({ path }) => names.includes(posix.basename(path)));
  const [sums, mods] = [named(sumNames), named(modNames)];
  if (byPath.has('go.work')) {
    const isWhole = sums.length === 0 || vendored.has('vendor/modules.txt');
    return { projects: isWhole ? [] : [{ directory: '', locks: sums, manifests: mods }], problems: [] };
  }
  const all = mods.flatMap(({ path }): FoundProject[] => {
    const directory = directoryOf(path);
    const sum = byPath.get(posix.join(directory, 'go.sum'));
    if (sum === undefined || vendored.has(posix.join(directory, 'vendor/modules.txt'))) return [];
    return [{ directory, locks: [sum], manifests: [] }];
  });
  const projects = outermost(all);
  giveManifests(projects, mods);
  const manifest = byPath.get('go.mod');
  if (projects.length > 0 || vendored.has('vendor/modules.txt') || manifest === undefined) {
    return { projects, problems: [] };
  }
  const names = /^require\s/m.test(manifest.content.subarray(0, headBytes).toString('utf8'));
  return { projects, problems: names ? [problem('no_lock', { ...manifest, name: 'go.sum' })] : [] };
}
