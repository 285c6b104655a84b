import {
  type Ecosystem,
  type FoundWanted,
  layeredIn,
  type ProjectTexts,
  projectsBeside,
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
  projectsIn: (files) =>
    projectsBeside(files, {
      ...{ lock: 'Cargo.lock', manifest: 'Cargo.toml' },
      vendored: /^(?:(.+)\/)?vendor\/[^/]+\/\.cargo-checksum\.json$/,
      dependency: /^\[(?:dev-|build-)?dependencies[\].]/m,
    }),
  versions: 'cargo --version; rustc --version',
  wantedOf,
  layeredAt: layeredIn(cargoPath),
  needs: (layered) =>
    layered.includes(cargoPath) ? { environment: { CARGO_HOME: place, CARGO_NET_OFFLINE: 'true' } } : {},
};

/** The public registry, as Cargo has named it. */
const publicSources = ['registry+https://github.com/rust-lang/crates.io-index', 'sparse+https://index.crates.io/'];

const settings = `[source.crates-io]
replace-with = "agora"
[source.agora]
directory = "${place}/crates"
`;

/** Another registry, whose crates lie there too. */
const replacing = (source: string) => `[source.${JSON.stringify(source)}]
registry = ${JSON.stringify(source.replace(/^registry\+/, ''))}
replace-with = "agora"
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
async function wantedOf({ locks: [lock] }: ProjectTexts, around: Surroundings): Promise<FoundWanted> {
  const { versions, sourceOf } = around;
  const { path, text } = lock!;
  if (!/^cargo \d/m.test(versions)) return without(problem('no_tool', { path, name: 'cargo' }));
  const crates = readCargoLock(text);
  if (crates === null) return without(problem('unreadable_lock', { path }));
  const isPrivate = (crate: Crate) => !publicSources.includes(crate.source) && sourceOf('', indexOf(crate)).isPrivate;
  const problems = crates.flatMap((crate) => faultOf(crate, path, isPrivate(crate)) ?? []);
  if (problems.length > 0 || crates.length === 0) return without(...problems);
  // One file of settings serves all projects.
  const all = around.projects.flatMap(({ locks: [each] }) => readCargoLock(each!.text) ?? []);
  const others = [...new Set(all.filter(isPrivate).map(({ source }) => source))];
  const templates = new Map<string, string | null>();
  for (const { source } of crates.filter(isPrivate)) {
    if (!templates.has(source)) templates.set(source, await templateOf(source, around));
  }
  const addressOf = ({ name, version, source, hash }: Crate): string | null => {
    const template = templates.get(source);
    if (template === undefined) return addressIn(around.registry, name, version, hash!);
    const address = template === null ? '' : addressIn(template, name, version, hash!);
    // The token is for one host, and other hosts are not the owner's to choose.
    return around.ownerOf(address) === null ? null : address;
  };
  const silent = crates.find((crate) => addressOf(crate) === null);
  if (silent !== undefined) {
    return without(problem('not_found', { path, name: `${silent.name} at ${new URL(indexOf(silent)).host}` }));
  }
  const wanted = crates.map((crate): Wanted => {
    const { name, version, hash } = crate;
    const url = addressOf(crate)!;
    const integrity = { algorithm: 'sha256', hex: hash! };
    const archive = `cargo/${name}-${version}.crate`;
    return { name: `${name} ${version}`, lock: path, url, integrity, place: archive, isOptional: false };
  });
  return {
    ...{ problems, wanted },
    inputs: crates.map(({ name, version, hash }) =>
      fileEntry(`cargo/${name}-${version}.json`, JSON.stringify({ files: {}, package: hash })),
    ),
    manifests: [fileEntry(`${cargoPath}/config.toml`, [settings, ...others.map(replacing)].join(''))],
    commands: [{ command: unpack, failure: 'install_failed' }],
  };
}

const indexOf = ({ source }: Pick<Crate, 'source'>) => source.replace(/^\w+\+/, '');

/** Where another registry has its crates, as its index says; null where it does not. */
async function templateOf(source: string, { ask }: Surroundings): Promise<string | null> {
  const page = await ask(`${indexOf({ source }).replace(/\/$/, '')}/config.json`, 'application/json');
  try {
    const { dl } = JSON.parse(page?.text ?? '{}');
    return typeof dl === 'string' ? dl : null;
  } catch {
    return null;
  }
}

/** By the rules of Cargo: without a marker, name and version come last. */
function addressIn(template: string, name: string, version: string, hash: string): string {
  const prefix =
    name.length < 4 ? [name.length, ...(name.length === 3 ? [name[0]] : [])] : [name.slice(0, 2), name.slice(2, 4)];
  const values: Record<string, string> = {
    ...{ crate: name, version, prefix: prefix.join('/'), lowerprefix: prefix.join('/').toLowerCase() },
    'sha256-checksum': hash,
  };
  const filled = template.replace(/\{([\w-]+)\}/g, (marker, key: string) => values[key] ?? marker);
  return filled === template ? `${template.replace(/\/$/, '')}/${name}/${version}/download` : filled;
}

/** Why a crate cannot be fetched, as far as its lock tells. */
function faultOf({ name, version, source, hash }: Crate, path: string, isPrivate: boolean): DependencyProblem | null {
  const about = { path, name: `${name} ${version}` };
  const isPlain = /^[\w-]{1,100}$/.test(name) && /^\d[\w.+-]{0,100}$/.test(version);
  if (!isPlain || !/^(?:registry|sparse)\+/.test(source)) return problem('not_from_registry', about);
  if (!isPrivate && !publicSources.includes(source)) {
    return problem('unknown_registry', { ...about, from: source.replace(/^\w+\+/, '') });
  }
  return hash === null ? problem('no_integrity', about) : null;
}
