import type { PackageRegistryKind } from '@agora-market/contract';

/** Where packages come from unless the operator says otherwise, by the kind of the registry. */
const publicRegistries: Record<PackageRegistryKind, string> = {
  npm: 'https://registry.npmjs.org',
  pypi: 'https://pypi.org/simple',
  go: 'https://proxy.golang.org',
  cargo: 'https://static.crates.io/crates',
  gem: 'https://rubygems.org',
  composer: 'https://codeload.github.com',
  maven: 'https://repo1.maven.org/maven2',
};

const kinds = Object.keys(publicRegistries).join('|');
const one = `(${kinds})=https?://[^\\s,=]+[^\\s,]*`;

/** How people write it. */
export const registriesForm = `takes ${Object.keys(publicRegistries)
  .map((kind) => `${kind}=<address>`)
  .join(',')}, or some of them, or off`;

/** The value of DEPENDENCY_REGISTRIES. */
export const registriesPattern = new RegExp(`^(off|${one}(,${one})*)$`);

export const defaultRegistries = Object.entries(publicRegistries)
  .map(([kind, address]) => `${kind}=${address}`)
  .join(',');

/** The address of a kind in such a value, without a slash at the end; null where it is not named. */
export function registryOf(setting: string, kind: PackageRegistryKind): string | null {
  const named = setting.split(',').find((each) => each.startsWith(`${kind}=`));
  return named?.slice(kind.length + 1).replace(/\/$/, '') ?? null;
}
