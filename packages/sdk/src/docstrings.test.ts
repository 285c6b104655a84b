import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commonErrors, type ErrorCode, errors, type Operation, operations } from '@agora-market/contract';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { errorOfReply } from './errors.ts';
import { Agora } from './index.ts';

/** What an editor shows of each method: that it is there, and every error that is the method's own. */

const directory = fileURLToPath(new URL('resources/', import.meta.url));
const files = readdirSync(directory).filter((name) => name !== 'resource.ts');
const rows: Record<string, Operation> = operations;
const width = 118;

/** The district of each class of resources. */
const districts = new Map(
  Object.entries(new Agora({ baseUrl: 'http://localhost' })).flatMap(([district, resource]) => {
    const names: [string, string][] = [];
    for (let one = Object.getPrototypeOf(resource); one !== Object.prototype; one = Object.getPrototypeOf(one))
      names.push([one.constructor.name, district]);
    return names;
  }),
);

/** Any operation may give these; README.md has their classes. */
const general: ErrorCode[] = [...commonErrors, 'VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'CROSS_SITE_REQUEST'];

/** What an operation's method is documented to throw, as lines of a comment. */
function throwsOf(row: Operation | undefined): string[] {
  const byClass = new Map<string, ErrorCode[]>();
  for (const code of row?.errors ?? []) {
    if (general.includes(code)) continue;
    const { name } = errorOfReply(errors[code].status, new Headers(), '');
    byClass.set(name, [...(byClass.get(name) ?? []), code]);
  }
  const words = [...byClass].map(([name, codes]) => `${name} (${codes.join(', ')})`).join(', ');
  return words === '' ? [] : wrapped(`@throws ${words}`);
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && `   * ${last} ${word}`.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The source of a resource, with the tags that its comments should have. */
function documented(name: string): string {
  const text = readFileSync(directory + name, 'utf8');
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const edits: { from: number; to: number; comment: string }[] = [];
  source.forEachChild((node) => {
    if (!ts.isClassDeclaration(node)) return;
    for (const member of node.members.filter(ts.isMethodDeclaration)) {
      const [comment] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
      const id = `${districts.get(node.name?.text ?? '')}.${member.name.getText()}`;
      if (comment)
        edits.push({
          from: comment.getStart(),
          to: comment.end,
          comment: tagged(comment.getText(), throwsOf(rows[id])),
        });
    }
  });
  return edits.reduceRight((done, { from, to, comment }) => done.slice(0, from) + comment + done.slice(to), text);
}

function tagged(comment: string, tags: string[]): string {
  const lines = comment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim());
  const at = lines.findIndex((line) => line.startsWith('@throws'));
  const prose = (at === -1 ? lines : lines.slice(0, at)).join('\n').trim().split('\n');
  if (tags.length === 0 && prose.length === 1 && `  /** ${prose[0]} */`.length <= 120) return `/** ${prose[0]} */`;
  const all = tags.length === 0 ? prose : [...prose, '', ...tags];
  return `/**\n${all.map((line) => `   * ${line}`.trimEnd()).join('\n')}\n   */`;
}

// After a change of the contract: npx vitest run packages/sdk/src/docstrings -u
it.each(files)('the methods of %s are documented with the errors that the contract has', async (name) => {
  await expect(documented(name)).toMatchFileSnapshot(directory + name);
});

it.each(files)('every method of %s says what it does', (name) => {
  const source = ts.createSourceFile(name, readFileSync(directory + name, 'utf8'), ts.ScriptTarget.Latest, true);
  source.forEachChild((node) => {
    if (!ts.isClassDeclaration(node)) return;
    const members = node.members.filter(ts.isMethodDeclaration);
    for (const member of members) {
      const overloads = members.filter((other) => other.name.getText() === member.name.getText());
      // The body of several signatures is the one that nobody sees.
      if (overloads.length > 1 && member.body) continue;
      const [comment] = ts.getJSDocCommentsAndTags(member);
      expect(ts.getTextOfJSDocComment(comment?.comment)?.length ?? 0, member.name.getText()).toBeGreaterThan(20);
    }
  });
});
