import { posix } from 'node:path';
import { type FoundWanted, type ProjectTexts, type Surroundings, type Wanted, without } from '../ecosystem.ts';
import { fileEntry } from '../entries.ts';
import { problem } from '../problems.ts';
import { readMod, readSums, type Sum } from './modules.ts';

/** Where modules and what was compiled of them lie, relative to the workspace. */
export const modulesPath = '.agora-go';
const place = `/workspace/${modulesPath}`;

/** The go command finds modules by these alone; nothing is looked for elsewhere, and no other Go is fetched. */
export const goEnvironment = {
  GOMODCACHE: `${place}/mod`,
  GOCACHE: `${place}/build`,
  GOFLAGS: '-modcacherw',
  GOPROXY: 'off',
  GOSUMDB: 'off',
  GOTOOLCHAIN: 'local',
};

/** Imported modules that are compiled ahead. */
const mostAhead = 100;
/** Of what was compiled ahead, so that the modules themselves find room. */
const mostAheadMiB = 192;

export function wantedOfGo(
  { directory, locks, manifests }: ProjectTexts,
  { sourceOf, versions, projects }: Surroundings,
): FoundWanted {
  const { path } = locks[0]!;
  if (!/^go version go1\./m.test(versions)) return without(problem('no_tool', { path, name: 'go' }));
  const sums = new Map<string, Sum>();
  for (const lock of locks) {
    const read = readSums(lock.text);
    if (read === null) return without(problem('unreadable_lock', lock));
    for (const sum of read) sums.set(`${sum.module} ${sum.version} ${sum.of}`, sum);
  }
  const mods = manifests.filter((each) => posix.basename(each.path) === 'go.mod').map(({ text }) => readMod(text));
  const required = mods.every(({ isWhole }) => isWhole) ? new Set(mods.flatMap((mod) => mod.required)) : null;
  const needed = [...sums.values()].filter(
    ({ module, version, of }) => of === 'mod' || required === null || required.has(`${module} ${version}`),
  );
  const wanted = needed.map(({ module, version, of, hash }): Wanted => {
    const file = `${escaped(module)}/@v/${escaped(version)}.${of}`;
    const integrity = { algorithm: `h1-${of}`, hex: hash };
    const name = `${module} ${version}`;
    return {
      ...{ name, lock: path, url: `${sourceOf(module).url}/${file}`, integrity },
      ...{ place: `go/${file}`, redirectHost: publicFiles, isOptional: false },
    };
  });
  if (wanted.length === 0) return without();
  const number = projects.findIndex((each) => each.directory === directory);
  const direct = [...new Set(mods.flatMap((mod) => mod.direct))].slice(0, mostAhead);
  // It says nothing that the hashes do not, so the registry is not asked for it.
  const downloaded = needed.filter(({ of }) => of === 'zip');
  const versionFiles = downloaded.map(({ module, version }) =>
    fileEntry(`go/${escaped(module)}/@v/${escaped(version)}.info`, JSON.stringify({ Version: version })),
  );
  return {
    ...{ problems: [], wanted },
    inputs: [...versionFiles, fileEntry(`go-imported/${number}`, direct.map((each) => `${each}/...`).join(' '))],
    manifests: [...locks, ...manifests].map((each) => fileEntry(each.path, each.text)),
    commands: [
      { command: `${exported}; GOPROXY=file:///input/go go mod download && ${unlisted}`, failure: 'install_failed' },
      { command: `imported=/input/go-imported/${number}; ${exported}; ${compiledAhead}`, failure: null },
    ],
  };
}

/** Where the public registry sends who asks for a large module. */
const publicFiles = 'storage.googleapis.com';

/** As registries write names: they may lie where upper and lower case are one. */
const escaped = (text: string) => text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);

const exported = `export ${Object.entries(goEnvironment)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ')}`;

/** For git, the directory is no part of the project. */
const unlisted = `echo '*' > ${place}/.gitignore`;

/**
 * What is imported, as far as it can be compiled without the project's own files: they are one buyer's, and others start with
 * the same lockfile. Files of the future are neither touched nor erased by the go command while they are read.
 */
const compiledAhead = [
  `xargs go list -e -f '{{if not .Incomplete}}{{.ImportPath}}{{end}}' testing/internal/testdeps < "$imported" > /tmp/packages`,
  'xargs timeout 600 go build < /tmp/packages',
  `[ "$(du -sm ${place}/build | cut -f 1)" -le ${mostAheadMiB} ] || rm -rf ${place}/build`,
  `find ${place}/build -type f -exec touch -d 2099-01-01 {} +`,
].join('; ');
