import ts from 'typescript';

/** Full titles of the tests in a source, `describe > test`: placeholders as they are written, expressions as `…`. */
export function titlesOf(text: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node, around: string[]): void => {
    const kind = ts.isCallExpression(node) ? kindOf(node.expression) : undefined;
    if (ts.isCallExpression(node) && kind) {
      const [named, ...rest] = node.arguments;
      const title =
        named && ts.isStringLiteralLike(named)
          ? named.text
          : (named?.getText() ?? '').replace(/`/g, '').replace(/\$\{[^}]*\}/g, '…');
      const path = [...around, title];
      if (kind === 'test') titles.push(path.join(' > '));
      else for (const part of rest) visit(part, path);
    } else ts.forEachChild(node, (child) => visit(child, around));
  };
  visit(ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest, true), []);
  return titles;
}

/** What `test('…')`, `test.each(…)('…')` and the like declare. */
function kindOf(callee: ts.Expression): 'test' | 'describe' | undefined {
  // `test.each(table)` is called in its turn with the title.
  const called = ts.isCallExpression(callee) ? callee.expression : callee;
  const root = ts.isPropertyAccessExpression(called) ? called.expression : called;
  if (!ts.isIdentifier(root)) return undefined;
  if (ts.isPropertyAccessExpression(called) && called.name.text === 'each' && !ts.isCallExpression(callee))
    return undefined;
  if (root.text === 'test' || root.text === 'it') return 'test';
  return root.text === 'describe' ? 'describe' : undefined;
}

/** Whether a reference means a test: its title, with the describes around it where one is not enough. */
export const means = (reference: string, title: string): boolean =>
  title === reference || title.endsWith(` > ${reference}`);
