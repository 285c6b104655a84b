import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { compile as compileAll } from './build.mjs';
import { printType } from './print-type.mjs';

// Additions of `npm pack` to the SDK before it packs (`prepack`): the same code for `require`, and declarations that
// need neither the contract package nor zod, from which the SDK's types are inferred here.

const root = fileURLToPath(new URL('..', import.meta.url));
const sdk = join(root, 'packages', 'sdk');
const lib = join(sdk, 'build');
const contract = '@agora-market/contract';

const { options: base } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  root,
);
const shared = {
  ...base,
  rootDir: join(sdk, 'src'),
  noEmit: false,
  incremental: false,
  tsBuildInfoFile: undefined,
  declaration: true,
  lib: ['lib.es2024.d.ts'],
  types: ['node'],
  noUnusedLocals: false,
};

/** Everything that the client's sources import, and nothing of the tests. */
function compile(options) {
  const program = ts.createProgram([join(sdk, 'src', 'index.ts'), join(sdk, 'src', 'worker', 'index.ts')], {
    ...shared,
    ...options,
  });
  const { diagnostics } = program.emit();
  const all = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (all.length > 0) throw new Error(ts.formatDiagnostics(all, formatHost));
  return program;
}

const formatHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => '\n',
};

/** The types that the client takes from the contract, each operation's written out in full. */
function declareContract(program) {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(join(sdk, 'src', 'types.ts'));
  const specifier = source.imports.find(({ text }) => text === contract);
  const exported = new Map(
    checker.getExportsOfModule(checker.getSymbolAtLocation(specifier)).map((symbol) => [symbol.name, symbol]),
  );
  const typeOf = (name) => checker.getDeclaredTypeOfSymbol(exported.get(name));
  const print = (type) => printType(checker, type, source);
  const lines = ['/** Every operation: what it takes and what it answers. Written by scripts/pack-sdk.mjs. */'];
  lines.push('export interface Operations {');
  for (const operation of checker.getPropertiesOfType(typeOf('Operations'))) {
    const row = checker.getTypeOfSymbol(operation);
    lines.push(`  '${operation.name}': {`);
    const part = (name, inner) => {
      const member = checker.getPropertyOfType(row, name);
      const schema = member && (inner === null ? checker.getTypeOfSymbol(member) : memberType(checker, member, inner));
      return (direction) => (schema ? print(directed(checker, schema, direction)) : 'undefined');
    };
    const [query, body, reply] = [part('query', null), part('body', null), part('reply', 'schema')];
    lines.push(`    queryInput: ${query('input')};`, `    query: ${query('output')};`);
    lines.push(`    bodyInput: ${body('input')};`, `    reply: ${reply('output')};`, '  };');
  }
  lines.push('}');
  for (const name of ['OperationId', 'TaskStatus', 'ErrorCode', 'MessageType', 'ReceiptStatement'])
    lines.push(`export type ${name} = ${print(typeOf(name))};`);
  for (const [name, part] of [
    ['QueryInputOf', 'queryInput'],
    ['QueryOf', 'query'],
    ['BodyInputOf', 'bodyInput'],
    ['ReplyOf', 'reply'],
  ]) {
    lines.push(`export type ${name}<O extends { ${part}: unknown }> = O['${part}'];`);
  }
  return `${lines.join('\n')}\n`;
}

function memberType(checker, symbol, name) {
  const member = checker.getPropertyOfType(checker.getTypeOfSymbol(symbol), name);
  return member && checker.getTypeOfSymbol(member);
}

/** The input or output type of a zod schema, as `z.input` and `z.output` find it. */
function directed(checker, schema, direction) {
  const zod = checker.getTypeOfSymbol(checker.getPropertyOfType(schema, '_zod'));
  return checker.getTypeOfSymbol(checker.getPropertyOfType(zod, direction));
}

/** Puts the written types in the place of the contract package. */
function finish(directory, declarations) {
  writeFileSync(join(directory, 'contract.d.ts'), declarations);
  for (const name of readdirSync(directory, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(directory, name);
    const text = readFileSync(path, 'utf8');
    const up = '../'.repeat(name.split('/').length - 1) || './';
    const own = text.replaceAll(`'${contract}'`, `'${up}contract.js'`);
    // The compiler leaves these endings in declarations as the sources have them.
    writeFileSync(path, own.replace(/'(\.{1,2}\/[^']*)\.ts'/g, "'$1.js'"));
  }
}

// The code for `import` is the build of this repository.
compileAll();
rmSync(lib, { recursive: true, force: true });
const esm = join(lib, 'esm');
const cjs = join(lib, 'cjs');
const declarations = declareContract(compile({ outDir: esm, emitDeclarationOnly: true }));
const { CommonJS } = ts.ModuleKind;
const { Bundler } = ts.ModuleResolutionKind;
compile({ outDir: cjs, module: CommonJS, moduleResolution: Bundler, verbatimModuleSyntax: false });
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
for (const directory of [esm, cjs]) finish(directory, declarations);
