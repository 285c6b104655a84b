import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { checkImports } from './imports.mjs';
import { checkSqlArrows } from './sql-arrows.mjs';
import { checkTestTime } from './test-time.mjs';

// The house rules that no other tool checks (CONTRIBUTING.md says why they are there).

const SOURCE = /\.(ts|tsx|mts|cts|js|mjs|cjs|c|h|css|sql)$/;
export const SCRIPT = /\.(ts|tsx|mts|cts|js|mjs|cjs)$/;
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', 'build']);
const VAGUE = new Set(['manager', 'helper', 'util', 'utils', 'utility', 'service', 'repository']);
// Where the real clock and the environment may be read; everywhere else they are handed in.
// The SDK and the dashboard run in other people's programs, where the time is the real one; their environment they leave
// alone.
const REAL_WORLD = [
  /^packages\/server\/src\/platform\//,
  /^packages\/cli\//,
  // They run in the gate's sandboxes.
  /^packages\/server\/reporters\//,
  // It runs alone in a container.
  /^packages\/server\/src\/sandbox\/kubernetes\/run-door\.ts$/,
  /^scripts\//,
  /^bench\//,
  /^examples\//,
  /^interop\/agents\//,
];
const REAL_TIME = [...REAL_WORLD, /^packages\/(sdk|dashboard)\/src\//];
// Where a document may count a path from; most are about the server.
const PATH_ROOTS = ['', 'packages/server/src'];
const NAMED_PATH = /`((?:[\w.-]+\/)+[\w.-]+(?:\/|\.(?:ts|mjs|cjs|sql|c|md|json)))`/g;
// Status of a decision; one that was replaced names its successor.
const STATUS = /^Status: (proposed|accepted|superseded by \d+) · \d{4}-\d{2}-\d{2}$/m;
export const QUICK_TEST = /(?<!\.deep)\.test\.tsx?$/;
const TESTS = [/\.test\.tsx?$/, /^packages\/[^/]+\/test\//];

/** Checks a checkout and returns one line for each violation. */
export function checkStructure(root) {
  const files = listSources(root);
  return [
    ...files.flatMap((file) => checkFile(file, readFileSync(join(root, file), 'utf8'))),
    ...checkMigrations(root),
    ...checkDecisions(root),
    ...checkNamedFiles(root),
    ...checkGenerated(root),
    ...checkSqlArrows(root),
    ...checkImports(
      root,
      files.filter((file) => SCRIPT.test(file)),
    ),
  ];
}

function listSources(root, directory = root) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name) || (entry.name.startsWith('.') && entry.isDirectory())) return [];
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return listSources(root, path);
    return SOURCE.test(entry.name) ? [relative(root, path)] : [];
  });
}

function checkFile(file, text) {
  const problems = [];
  const stem = (file.split('/').at(-1) ?? '').replace(/\..*$/, '');
  if (isVague(stem)) problems.push(`${file}: name the file after what it does; "${stem}" says too little`);
  return SCRIPT.test(file) ? [...problems, ...checkScript(file, text)] : problems;
}

/** Whether the last word of a name is one of those that fit anything. */
function isVague(name) {
  const words = name.split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])/).filter(Boolean);
  const last = (words.at(-1) ?? '').toLowerCase();
  return VAGUE.has(last) || VAGUE.has(last.replace(/s$/, ''));
}

function checkScript(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const problems = exportedNames(source)
    .filter(isVague)
    .map((name) => `${file}: exported name "${name}" says too little about what it does`);
  if (QUICK_TEST.test(file)) problems.push(...checkTestTime(file, source));
  const isIn = (places) => [...places, ...TESTS].some((pattern) => pattern.test(file));
  if (isIn(REAL_WORLD)) return problems;
  const visit = (node) => {
    const found = realWorldRead(node);
    if (found && (found === 'process.env' || !isIn(REAL_TIME))) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      problems.push(`${file}:${line}: ${found} is read only in packages/server/src/platform; have it handed in`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

function realWorldRead(node) {
  if (ts.isPropertyAccessExpression(node)) {
    const text = `${node.expression.getText()}.${node.name.text}`;
    if (text === 'Date.now' || text === 'process.env') return text;
  }
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return undefined;
  if (node.expression.getText() !== 'Date') return undefined;
  return ts.isCallExpression(node) || (node.arguments?.length ?? 0) === 0 ? 'the present time (Date)' : undefined;
}

function exportedNames(source) {
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const clause = statement.exportClause;
      return clause && ts.isNamedExports(clause) ? clause.elements.map((element) => element.name.text) : [];
    }
    const isExported = statement.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    if (!ts.isVariableStatement(statement)) return statement.name ? [statement.name.text] : [];
    return statement.declarationList.declarations.map((declaration) => declaration.name.getText());
  });
}

function checkMigrations(root) {
  const directory = join(root, 'packages', 'server', 'migrations');
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter((name) => name.endsWith('.sql'));
  return names.sort().flatMap((name, index) => {
    const expected = String(index + 1).padStart(4, '0');
    if (new RegExp(`^${expected}_[a-z0-9_]+\\.sql$`).test(name)) return [];
    return [`packages/server/migrations/${name}: expected ${expected}_<name>.sql; numbers have no gaps and no twins`];
  });
}

/** Decisions are cited by number, and a reader must see whether and since when one is valid. */
function checkDecisions(root) {
  const directory = join(root, 'docs', 'decisions');
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter((name) => name.endsWith('.md'));
  return names.sort().flatMap((name, index) => {
    const path = `docs/decisions/${name}`;
    const expected = String(index + 1).padStart(4, '0');
    if (!new RegExp(`^${expected}-[a-z0-9-]+\\.md$`).test(name)) {
      return [`${path}: expected ${expected}-<name>.md; numbers have no gaps and no twins`];
    }
    const text = readFileSync(join(directory, name), 'utf8');
    const problems = [];
    if (!text.startsWith(`# ${index + 1}. `)) problems.push(`${path}: the title begins with "# ${index + 1}. "`);
    if (!STATUS.test(text)) problems.push(`${path}: needs a line "Status: accepted · YYYY-MM-DD"`);
    return problems;
  });
}

/** Documents for those who change the code say where things are; a file that moved must not leave them wrong. */
function checkNamedFiles(root) {
  const decisions = join(root, 'docs', 'decisions');
  const records = existsSync(decisions) ? readdirSync(decisions).map((name) => `docs/decisions/${name}`) : [];
  const documents = ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/glossary.md', ...records];
  return documents
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(NAMED_PATH)]
        .map(([, named]) => named)
        .filter((named) => !PATH_ROOTS.some((from) => existsSync(join(root, from, named))))
        .map((named) => `${path}: names ${named}, which does not exist`),
    );
}

// What the contract generates: the module that prints it, and where it is committed.
const GENERATED = [
  ['openapi-cli', 'docs/openapi.json'],
  ['changelog-cli', 'docs/api-changelog.md'],
];

/** Committed documents must equal the contract's; the generators print them. */
function checkGenerated(root) {
  return GENERATED.flatMap(([name, path]) => {
    const generator = join(root, 'packages', 'contract', 'dist', `${name}.js`);
    if (!existsSync(generator)) return [];
    const generated = spawnSync(process.execPath, [generator], { encoding: 'utf8', maxBuffer: 64 << 20 });
    if (generated.status !== 0) return [`packages/contract/src/${name}.ts fails: ${generated.stderr.trim()}`];
    const committed = join(root, path);
    if (existsSync(committed) && readFileSync(committed, 'utf8') === generated.stdout) return [];
    return [`${path} is not what the contract generates; run "node packages/contract/dist/${name}.js > ${path}"`];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = checkStructure(fileURLToPath(new URL('..', import.meta.url)));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
