import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import ts from 'typescript';

// SQL crosses districts where no import shows it: a query that reads another's table, a function that calls another's.
// This holds both to the order of packages/server/districts.cjs, as imports are.

/** Checks the SQL of the server's sources and returns one line for each violation. */
export function checkSqlArrows(root) {
  const server = join(root, 'packages', 'server');
  if (!existsSync(join(server, 'districts.cjs'))) return [];
  const { rows, tables, alsoWrites } = createRequire(import.meta.url)(join(server, 'districts.cjs'));
  const ownerOf = new Map(Object.entries(tables).flatMap(([district, names]) => names.map((name) => [name, district])));
  const levelOf = new Map(rows.flatMap((row, level) => row.map((district) => [district, level])));
  const sources = sqlSources(join(server, 'src'));
  const functions = new Map(sources.flatMap(({ district, sql }) => definedIn(sql).map((name) => [name, district])));
  const problems = unownedTables(join(server, 'migrations'), ownerOf);
  for (const { file, district, sql } of sources) {
    const report = (what) => problems.push(`${relative(root, file)}: SQL of ${district} ${what}`);
    for (const { table, writes } of tablesIn(sql)) {
      const owner = ownerOf.get(table);
      if (owner === undefined || owner === district) continue;
      if (isBarred(levelOf, district, owner)) report(`uses ${table} of ${owner}, which is not below it`);
      else if (writes && !alsoWrites[table]?.includes(district)) report(`writes ${table}, which only ${owner} may`);
    }
    for (const [name, owner] of functions) {
      if (owner === district || !new RegExp(`\\b${name}\\(`).test(sql)) continue;
      if (isBarred(levelOf, district, owner)) report(`calls ${name} of ${owner}, which is not below it`);
    }
  }
  return problems;
}

const isBarred = (levelOf, district, owner) => (levelOf.get(owner) ?? 0) >= (levelOf.get(district) ?? 0);

/** Every piece of SQL below a source directory: string literals of TypeScript, and `.sql` files. */
function sqlSources(src) {
  if (!existsSync(src)) return [];
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\/.*\.(ts|sql)$/.test(name) && !name.endsWith('.test.ts'))
    .flatMap((name) => {
      const file = join(src, name);
      const text = readFileSync(file, 'utf8');
      const district = name.split('/')[0];
      const texts = name.endsWith('.sql') ? [text] : literalsIn(file, text);
      return texts.map((each) => ({ file, district, sql: each.replace(/--.*/g, '') }));
    });
}

function literalsIn(file, text) {
  const found = [];
  const visit = (node) => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push(node.text);
    if (ts.isTemplateExpression(node)) {
      found.push([node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join(' ? '));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

const definedIn = (sql) => [...sql.matchAll(/create or replace function (\w+)/g)].map(([, name]) => name);

/** Words behind `from`, `join`, `into` and the like; prose in a message is none, for it names no table of ours. */
const tablesIn = (sql) =>
  [...sql.matchAll(/\b(insert into|delete from|update|from|join|using)\s+(?:only\s+)?(\w+)\b/g)].map(
    ([, verb, table]) => ({ table, writes: /insert|delete|update/.test(verb) }),
  );

/** A new table must say whose it is. */
function unownedTables(migrations, ownerOf) {
  if (!existsSync(migrations)) return [];
  const sql = readdirSync(migrations).map((name) => readFileSync(join(migrations, name), 'utf8'));
  const named = (pattern) =>
    sql.flatMap((text) => [...text.matchAll(pattern)].map(([, table, other]) => table ?? other));
  const dropped = new Set(named(/drop (?:table|view) (?:if exists )?(\w+)|alter table (\w+) rename to/g));
  return named(/(?:create (?:table|view) (?:if not exists )?|alter table \w+ rename to )(\w+)/g)
    .filter((table) => !ownerOf.has(table) && !dropped.has(table))
    .map((table) => `packages/server/districts.cjs: say which district the table ${table} belongs to`);
}
