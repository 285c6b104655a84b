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
import { fullName, gemsFor, hashesIn, type LockedGem, readGemLock } from './lock.ts';

/** Where gems lie as Bundler looks for them, relative to the workspace. */
const gemsPath = '.agora-gems';
const place = `/workspace/${gemsPath}`;

/** Projects with a Gemfile.lock, whose gems Bundler finds by variables, whatever settings the project has of its own. */
export const ruby: Ecosystem = {
  registry: 'gem',
  projectsIn: (files) =>
    projectsBeside(files, {
      ...{ lock: 'Gemfile.lock', manifest: 'Gemfile' },
      vendored: /^(?:(.+)\/)?vendor\/bundle\//,
      dependency: /^[ \t]*gem(?:spec)?\b/m,
    }),
  versions: `ruby -e 'puts RUBY_VERSION, Gem::Platform.local'; bundle --version`,
  wantedOf,
  layeredAt: layeredIn(gemsPath),
  needs: (layered) =>
    layered.includes(gemsPath) ? { environment: { BUNDLE_PATH: place, BUNDLE_APP_CONFIG: place } } : {},
};

const publicHosts = ['rubygems.org', 'index.rubygems.org'];

/** Null without Ruby or Bundler. */
const systemIn = (versions: string): string | null =>
  /^Bundler version \d/m.test(versions) ? (/^\w+-linux[\w-]*$/m.exec(versions)?.[0] ?? null) : null;

async function wantedOf({ locks: [lock] }: ProjectTexts, around: Surroundings): Promise<FoundWanted> {
  const { path, text } = lock!;
  const system = systemIn(around.versions);
  if (system === null) return without(problem('no_tool', { path, name: 'ruby with bundler' }));
  const read = readGemLock(text);
  if (read === null) return without(problem('unreadable_lock', { path }));
  const { chosen, others } = gemsFor(read.gems, system);
  const problems = [
    ...read.foreign.map((name) => problem('not_from_registry', { path, name })),
    ...chosen.flatMap((gem) => faultOf(gem, path, around) ?? []),
  ];
  if (problems.length > 0 || chosen.length === 0) return without(...problems);
  const wanted: Wanted[] = [];
  await around.inTurn(chosen, async (gem) => {
    if (problems.length > 0) return;
    const hash = read.hashes.get(fullName(gem)) ?? (await askHash(gem, path, around));
    if (typeof hash !== 'string') return void problems.push(hash);
    const file = `gems/${fullName(gem)}.gem`;
    wanted.push({
      ...{
        name: told(gem),
        lock: path,
        url: `${sourceOfGem(gem, around).url}/${file}`,
        place: file,
        isOptional: false,
      },
      integrity: { algorithm: 'sha256', hex: hash },
    });
  });
  const install = (which: string) => `ruby /input/install-gems.rb ${which}`;
  return {
    ...{ problems, wanted, inputs: [fileEntry('install-gems.rb', installer)] },
    leftOut: others.map((gem) => problem('left_out', { path, name: told(gem) })),
    commands: [
      { command: `${install('plain')} && echo '*' > ${place}/.gitignore`, failure: 'install_failed' },
      ...(around.runsScripts ? [{ command: install('compiled'), failure: 'scripts_failed' } as const] : []),
    ],
  };
}

const told = ({ name, version }: LockedGem) => `${name} ${version}`;

type GemAt = LockedGem & { remotes: string[] };

/** Of several registries the lock does not say which one has it. */
const sourceOfGem = ({ name, remotes }: GemAt, { sourceOf }: Surroundings) =>
  sourceOf(name, remotes.length === 1 ? remotes[0] : null);

/** Where it comes from another registry, anybody can give a gem of this one the same name. */
function faultOf(gem: GemAt, path: string, around: Surroundings): DependencyProblem | null {
  if (sourceOfGem(gem, around).isPrivate) return null;
  const ours = [...publicHosts, new URL(around.registry).host];
  // An address may carry a token.
  const hosts = gem.remotes.map((remote) => (URL.canParse(remote) ? new URL(remote).host : remote));
  const from = hosts.find((host) => !ours.includes(host));
  return from === undefined ? null : problem('unknown_registry', { path, name: told(gem), from });
}

/** Of a gem that the lock has no hash of, the registry is believed. */
async function askHash(gem: GemAt, path: string, around: Surroundings): Promise<string | DependencyProblem> {
  const about = { path, name: told(gem) };
  // Its buyer could give the gate another one than the agent.
  if (sourceOfGem(gem, around).isPrivate) return problem('no_integrity', about);
  const page = await around.ask(`${sourceOfGem(gem, around).url}/info/${gem.name}`, 'text/plain');
  const version = fullName(gem).slice(gem.name.length + 1);
  if (page === null) return problem('not_found', about);
  return hashesIn(page.text).get(version) ?? problem('no_integrity', about);
}

/**
 * Each gem is installed as it is: the Gemfile is not run, which could need any file of the project. Gems that are compiled come
 * after all others, and again as long as one of them succeeds, for they may need each other.
 */
const installer = `require 'rubygems/installer'
require 'fileutils'
home = File.join('${place}', 'ruby', RbConfig::CONFIG['ruby_version'])
ENV['GEM_HOME'] = ENV['GEM_PATH'] = home
Gem.paths = ENV
options = { install_dir: home, ignore_dependencies: true, wrappers: true, env_shebang: true }
all = Dir['/input/gems/*.gem'].sort.map { |path| Gem::Installer.at(path, options.dup) }
all.reject! { |each| File.exist?(each.spec_file) }
plain, compiled = all.partition { |each| each.spec.extensions.empty? }
waiting = ARGV == ['plain'] ? plain : compiled
failures = {}
loop do
  before = waiting.size
  waiting.reject! do |each|
    each.install
  rescue Gem::InstallError => error
    failures[each.spec.full_name] = error.message
    false
  end
  break if waiting.empty? || waiting.size == before
end
FileUtils.mkdir_p(home)
FileUtils.rm_rf(File.join(home, 'cache'))
waiting.each { |each| puts "#{each.spec.full_name}: #{failures[each.spec.full_name]}" }
exit waiting.empty?
`;
