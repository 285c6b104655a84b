import { posix } from 'node:path';
import { parse, stringify } from 'yaml';
import { isTable, type TextFile } from '../ecosystem.ts';

/**
 * A file of the project as an installation reads it: without registries and tokens, for all packages are there already, and a
 * tool would ask another registry for those of its scope.
 */
export function withoutRegistries({ path, text }: TextFile): string {
  const name = posix.basename(path);
  if (name === '.npmrc') return text.replace(/^[ \t]*(?:(?:@[^:\s]+:)?registry[ \t]*=|\/\/).*$/gm, '');
  if (name === '.yarnrc') return text.replace(/^"?(?:@[^:\s"]+:)?registry"?\s.*$/gm, '');
  return name === '.yarnrc.yml' ? withoutSettings(text) : text;
}

const ofRegistries = /^npm(?:Scopes|Registries|RegistryServer|Auth\w*|AlwaysAuth)$/;

function withoutSettings(text: string): string {
  try {
    const settings: unknown = parse(text, { maxAliasCount: 0 });
    if (!isTable(settings)) return text;
    return stringify(Object.fromEntries(Object.entries(settings).filter(([name]) => !ofRegistries.test(name))));
  } catch {
    return text;
  }
}
