import { posix } from 'node:path';
import {
  directoryOf,
  type Ecosystem,
  type Found,
  type FoundProject,
  type FoundWanted,
  headBytes,
  layeredIn,
  outermost,
  type ProjectTexts,
  type Surroundings,
  type Wanted,
  without,
} from '../ecosystem.ts';
import { fileEntry } from '../entries.ts';
import { type DependencyProblem, problem } from '../problems.ts';
import { type Crate, readCargoLock } from './lock.ts';

/** Where crates lie with Cargo's settings, relative to the workspace. */
const cargoPath = '.agora-cargo';
const place = `/workspace/${cargoPath}`;

/** Projects with a Cargo.lock, whose crates Cargo finds by its settings. */
export const rust: Ecosystem = {
  registry: 'cargo',
  projectsIn,
  versions: 'cargo --version; rustc --version',
  wantedOf,
  layeredAt: layeredIn(cargoPath),
  needs: (layered) =>
    layered.includes(cargoPath) ? { environment: { CARGO_HOME: place, CARGO_NET_OFFLINE: 'true' } } : {},
};

function projectsIn(files: readonly FoundProject['locks'][number][]): Found {
  const locks = files.filter(({ path }) => posix.basename(path) === 'Cargo.lock');
  const paths = new Set(files.map(({ path }) => path));
  const vendored = new Set(
    [...paths].flatMap((path) => {
      const found = /^(?:(.+)\/)?vendor\/[^/]+\/\.cargo-checksum\.json$/.exec(path);
      return found === null ? [] : [found[1] ?? ''];
    }),
  );
  const all = locks.flatMap((lock): FoundProject[] => {
    const directory = directoryOf(lock.path);
    const isProject = paths.has(posix.join(directory, 'Cargo.toml')) && !vendored.has(directory);
    return isProject ? [{ directory, locks: [lock], manifests: [] }] : [];
  });
  const projects = outermost(all);
  const manifest = files.find(({ path }) => path === 'Cargo.toml');
  if (projects.length > 0 || manifest === undefined || vendored.has('')) return { projects, problems: [] };
  const head = manifest.content.subarray(0, headBytes).toString('utf8');
  const names = /^\[(?:dev-|build-)?dependencies[\].]/m.test(head);
  return { projects, problems: names ? [problem('no_lock', { ...manifest, name: 'Cargo.lock' })] : [] };
}

/** The public registry, as Cargo has named it. */
const publicSources = ['registry+https://github.com/rust-lang/crates.io-index', 'sparse+https://index.crates.io/'];

const settings = `[source.crates-io]
replace-with = "agora"
[source.agora]
directory = "${place}/crates"
`;

/** A directory for each crate, as Cargo takes them from a directory of crates. For git, all is no part of the project. */
const unpack = `(
set -e
mkdir -p ${place}/crates
for archive in /input/cargo/*.crate; do
  name=$(basename "$archive" .crate)
  mkdir -p ${place}/crates/"$name"
  tar -xzf "$archive" --strip-components=1 --no-same-owner -C ${place}/crates/"$name"
  cp "/input/cargo/$name.json" ${place}/crates/"$name"/.cargo-checksum.json
done
echo '*' > ${place}/.gitignore
)`;

/** Cargo itself compares each crate's hash with that of the lock again. */
function wantedOf({ locks: [lock] }: ProjectTexts, { registry, versions }: Surroundings): FoundWanted {
  const { path, text } = lock!;
  if (!/^cargo \d/m.test(versions)) return without(problem('no_tool', { path, name: 'cargo' }));
  const crates = readCargoLock(text);
  if (crates === null) return without(problem('unreadable_lock', { path }));
  const problems = crates.flatMap((crate) => faultOf(crate, path) ?? []);
  if (problems.length > 0 || crates.length === 0) return without(...problems);
  const wanted = crates.map(({ name, version, hash }): Wanted => {
    const url = `${registry}/${name}/${version}/download`;
    const integrity = { algorithm: 'sha256', hex: hash! };
    const archive = `cargo/${name}-${version}.crate`;
    return { name: `${name} ${version}`, lock: path, url, integrity, place: archive, isOptional: false };
  });
  return {
    ...{ problems, wanted },
    inputs: crates.map(({ name, version, hash }) =>
      fileEntry(`cargo/${name}-${version}.json`, JSON.stringify({ files: {}, package: hash })),
    ),
    manifests: [fileEntry(`${cargoPath}/config.toml`, settings)],
    commands: [{ command: unpack, failure: 'install_failed' }],
  };
}

/** Why a crate cannot be fetched, as far as its lock tells. */
function faultOf({ name, version, source, hash }: Crate, path: string): DependencyProblem | null {
  const about = { path, name: `${name} ${version}` };
  const isPlain = /^[\w-]{1,100}$/.test(name) && /^\d[\w.+-]{0,100}$/.test(version);
  if (!isPlain || !/^(?:registry|sparse)\+/.test(source)) return problem('not_from_registry', about);
  if (!publicSources.includes(source)) {
    return problem('unknown_registry', { ...about, from: source.replace(/^\w+\+/, '') });
  }
  return hash === null ? problem('no_integrity', about) : null;
}
