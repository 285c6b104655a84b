import { posix } from 'node:path';
import type { FoundWanted, InstallCommand, ProjectTexts, Surroundings, TextFile, Wanted } from '../ecosystem.ts';
import { fileEntry } from '../entries.ts';
import type { DependencyProblem } from '../problems.ts';
import type { Integrity } from '../store.ts';
import { sha512 } from './npm-lock.ts';
import { faultOf, type LockedPackage, tarballOf, tarballPath } from './registry.ts';
import { withoutRegistries } from './tool-settings.ts';

/** Package managers beside npm: they come from the registry too, and stay in the layer, for `yarn test` and the like. */

export interface OtherTool {
  /** Of its package, and of the program. */
  package: string;
  program: 'pnpm' | 'yarn';
  version: string;
  integrity: Integrity;
  /** Of the package. */
  file: string;
}

const pnpm = { package: 'pnpm', program: 'pnpm', file: 'bin/pnpm.cjs' } as const;
const berry = { package: '@yarnpkg/cli-dist', program: 'yarn', file: 'bin/yarn.js' } as const;

/** By the program and its version. */
export const otherTools = {
  pnpm8: {
    ...{ ...pnpm, version: '8.15.9' },
    integrity: sha512('SZQ0ydj90aJ5Tr9FUrOyXApjOrzuW7Fee13pDzL0e1E6ypjNXP0AHDHw20VLw4BO3M1XhQHkyik6aBYWa72fgQ=='),
  },
  pnpm9: {
    ...{ ...pnpm, version: '9.15.9' },
    integrity: sha512('aARhQYk8ZvrQHAeSMRKOmvuJ74fiaR1p5NQO7iKJiClf1GghgbrlW1hBjDolO95lpQXsfF+UA+zlzDzTfc8lMQ=='),
  },
  pnpm10: {
    ...{ ...pnpm, version: '10.34.8' },
    integrity: sha512('9ieo6XE0Ov5J39D2PQKCNCAd+oMdXLWIcz4eX42ya/FpiaMhYatcG02zsf28NzFgYGtbieAC323RmoWt+R/FqA=='),
  },
  yarn1: {
    ...{ package: 'yarn', program: 'yarn', version: '1.22.22', file: 'bin/yarn.js' },
    integrity: sha512('prL3kGtyG7o9Z9Sv8IPfBNrWTDmXB4Qbes8A9rEzt6wkJV8mUvoirjU0Mp3GGAU06Y0XQyA3/2/RQFVuK7MTfg=='),
  },
  yarn3: {
    ...{ ...berry, version: '3.8.7' },
    integrity: sha512('YMoAlLR9f+kxXjK72ggBIidi3ulQQrQpMSxzrLUt0OUk9Xdst2v26LBSYFlzOm+7KRNWgYIJpFjA8uRnCgB5xQ=='),
  },
  'yarn4.13': {
    ...{ ...berry, version: '4.13.0' },
    integrity: sha512('c0YdSja652OezJqFnz9+pZwKfKAiBu2aRPJiHPU73sirTGgvQRTyaS5Y6PQHAmmaoa3RjCY6f3L2q9g8S/urqw=='),
  },
  'yarn4.14': {
    ...{ ...berry, version: '4.14.1' },
    integrity: sha512('62uYRCYBnAwNZ1Y4uMh0iUXtgZe4frwAgd5dJFoTu/uWMZWpJzxY2ib0cAva1eiy1L2jiDR0dS1Os+1osiIxvA=='),
  },
  'yarn4.18': {
    ...{ ...berry, version: '4.18.1' },
    integrity: sha512('EH+A4TxAtBWXKE0DGQxW9Bo9crXHLJ73mfxjTQJuv8XonNWWTpei8BQ5JjczHJNU9GROTycwMFn8iOvRIZXUcA=='),
  },
} satisfies Record<string, OtherTool>;

/** Where the package manager lies, relative to the workspace. */
export const toolsPath = '.agora-javascript';
const place = `/workspace/${toolsPath}`;
/** What a tool keeps while it installs; removed at the end. */
export const cachePath = '/workspace/.agora-cache';

/** Where the mirror listens; each sandbox has a loopback of its own. */
export const mirrorUrl = 'http://127.0.0.1:4873';

/** Of commands that need no version but this one, and nothing of the network. */
export const toolEnvironment = {
  COREPACK_ENABLE_STRICT: '0',
  npm_config_manage_package_manager_versions: 'false',
  npm_config_package_manager_strict: 'false',
  YARN_ENABLE_TELEMETRY: '0',
  YARN_INSTALL_STATE_PATH: '/tmp/yarn-install-state.gz',
  YARN_NODE_LINKER: 'node-modules',
};

/** Runs a command beside a server on the sandbox's own loopback that gives out the packages of `/input`. */
const mirror = `import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, '${mirrorUrl}').pathname);
  createReadStream('/input/packages' + path)
    .on('error', () => response.writeHead(404).end('{}'))
    .pipe(response);
}).listen(${new URL(mirrorUrl).port}, '127.0.0.1', () => {
  const [program, ...args] = process.argv.slice(2);
  spawn(program, args, { stdio: 'inherit' }).on('exit', (code) => process.exit(code ?? 1));
});
`;

interface Installation {
  tool: OtherTool;
  packages: readonly LockedPackage[];
  /** The lock as the tool is given it. */
  text: string;
  /** What the tool is told, without quotes. */
  install: string;
  /** Runs install scripts of packages; `$tool` is the program. */
  scripts: string;
  environment?: Record<string, string>;
}

/** What is to be done for a lock of such a tool. */
export function wantedOfOther(
  { locks: [lock], manifests }: ProjectTexts,
  { sourceOf, runsScripts }: Surroundings,
  { tool, packages, text, install, scripts, environment = {} }: Installation,
): FoundWanted {
  const { path } = lock!;
  const problems: DependencyProblem[] = [];
  const { package: name, version, integrity, program, file } = tool;
  const itself = { name, version, url: null, integrity, isOptional: false };
  const wanted: Wanted[] = [];
  for (const locked of [itself, ...packages]) {
    const source = sourceOf(locked.name, locked.url);
    const fault = faultOf(locked, path, source);
    if (fault !== null && !locked.isOptional) problems.push(fault);
    if (fault !== null || locked.integrity === null) continue;
    wanted.push({
      ...{ name: `${locked.name} ${locked.version}`, lock: path, isOptional: locked.isOptional },
      ...{ url: tarballOf(source, locked), integrity: locked.integrity },
      place: `packages/${tarballPath(locked.name, locked.version)}`,
    });
  }
  const given = Object.entries({ ...toolEnvironment, ...environment }).map((each) => each.join('='));
  const unpacked = `/tmp/${program}-${version}`;
  const prepare = `export ${given.join(' ')} tool=${unpacked}/${file}`;
  const archive = `/input/packages/${tarballPath(name, version)}`;
  const unpack = `mkdir -p ${unpacked} && tar -xzf ${archive} --strip-components=1 --no-same-owner -C ${unpacked}`;
  const run = `node /input/mirror.mjs node ${unpacked}/${file} ${install}`;
  const commands: InstallCommand[] = [{ command: `${unpack} && ${prepare} && ${run}`, failure: 'install_failed' }];
  if (runsScripts) commands.push({ command: `${prepare} && ${scripts}`, failure: 'scripts_failed' });
  return {
    ...{ problems, wanted, inputs: [fileEntry('mirror.mjs', mirror)] },
    commands: [...commands, { command: keep(tool, unpacked), failure: 'install_failed' }],
    made: [cachePath.slice('/workspace/'.length), ...modulesOf(manifests)],
    manifests: [fileEntry(path, text), ...manifests.map((each) => fileEntry(each.path, withoutRegistries(each)))],
  };
}

/** Whoever runs the tests has the same tool. For git, the directory is no part of the project. */
const keep = ({ program, file }: OtherTool, unpacked: string) =>
  [
    `rm -rf ${cachePath} ${place}/${program}`,
    `mkdir -p ${place}/bin`,
    `cp -R ${unpacked} ${place}/${program}`,
    `chmod +x ${place}/${program}/${file}`,
    `ln -sf ../${program}/${file} ${place}/bin/${program}`,
    `echo '*' > ${place}/.gitignore`,
  ].join(' && ');

const modulesOf = (manifests: readonly TextFile[]) =>
  manifests
    .filter(({ path }) => posix.basename(path) === 'package.json')
    .map(({ path }) => posix.join(posix.dirname(path), 'node_modules'));
