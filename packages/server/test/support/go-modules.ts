import { createHash } from 'node:crypto';
import { zip } from './zip.ts';

/** A module of Go as a registry has it. */
export interface TestModule {
  module: string;
  version: string;
  files: Record<string, string>;
  /** As `module version`. */
  requires?: string[];
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest();
const h1 = (files: [name: string, content: string][]) => {
  const lines = files
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `${sha256(text).toString('hex')}  ${name}\n`);
  return `h1:${sha256(lines.join('')).toString('base64')}`;
};

const modOf = ({ module, requires = [] }: TestModule) =>
  `module ${module}\n\ngo 1.17\n${requires.map((each) => `\nrequire ${each}\n`).join('')}`;

const filesOf = (each: TestModule): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...each.files, 'go.mod': modOf(each) }).map(([path, text]) => {
      return [`${each.module}@${each.version}/${path}`, text];
    }),
  );

const escaped = (text: string) => text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);

export const modulePath = ({ module, version }: TestModule, kind: 'zip' | 'mod') =>
  `/${escaped(module)}/@v/${version}.${kind}`;

export const moduleFiles = (modules: readonly TestModule[]) =>
  new Map<string, Buffer | string>(
    modules.flatMap((each) => [
      [modulePath(each, 'zip'), zip(filesOf(each))],
      [modulePath(each, 'mod'), modOf(each)],
    ]),
  );

export const goSum = (modules: readonly TestModule[]) =>
  modules
    .flatMap((each) => [
      `${each.module} ${each.version} ${h1(Object.entries(filesOf(each)))}\n`,
      `${each.module} ${each.version}/go.mod ${h1([['go.mod', modOf(each)]])}\n`,
    ])
    .join('');
