import ts from 'typescript';

// Tests of the first two tiers know no real time: on a busy machine such a test fails though nothing is wrong. They wait for
// a condition, and count work where they guard a bound. What cannot be shown otherwise is a deep test.

const clocks = new Set(['performance.now', 'process.cpuUsage', 'process.hrtime']);
const declaring = /^(test|it|describe|beforeAll|beforeEach|afterAll|afterEach)\b/;

/** One line for each place where a test depends on real time. */
export function checkTestTime(file, source) {
  const problems = [];
  const timers = timersIn(source);
  const visit = (node) => {
    const problem = problemOf(node, timers);
    if (problem) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      problems.push(`${file}:${line + 1}: ${problem}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

function problemOf(node, timers) {
  if (ts.isAwaitExpression(node) && isTimer(node.expression, timers))
    return 'waits for a time; wait for what it is to bring about (expect.poll)';
  if (ts.isPropertyAccessExpression(node) && clocks.has(node.getText()))
    return `${node.getText()} measures time; count the work instead, or make it a deep test`;
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.MinusToken && isExpected(node))
    return 'expects a difference of times; count the work instead, or make it a deep test';
  if (ts.isCallExpression(node) && /^vi\.wait(For|Until)$/.test(node.expression.getText()))
    return 'gives up after a second; expect.poll waits as long as vitest.config.ts says';
  if (isTimeLimit(node)) return 'has a time limit of its own; those of vitest.config.ts end what hangs';
  return undefined;
}

/** Names of timers' promises: `sleep` of `import { setTimeout as sleep } from 'node:timers/promises'`. */
function timersIn(source) {
  const names = new Set(['sleep']);
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || statement.moduleSpecifier.text !== 'node:timers/promises') continue;
    for (const { name, propertyName } of statement.importClause?.namedBindings?.elements ?? [])
      if ((propertyName ?? name).text === 'setTimeout') names.add(name.text);
  }
  return names;
}

/** `sleep(50)`, or `new Promise((resolve) => setTimeout(resolve, 50))`. */
function isTimer(node, timers) {
  if (ts.isCallExpression(node)) return ts.isIdentifier(node.expression) && timers.has(node.expression.text);
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'Promise') return false;
  const body = node.arguments?.[0]?.body;
  return body !== undefined && ts.isCallExpression(body) && body.expression.getText() === 'setTimeout';
}

/** `expect(Date.now() - startedMs)`. */
function isExpected(node) {
  if (![node.left, node.right].some((side) => side.getText() === 'Date.now()')) return false;
  const call = node.parent;
  return ts.isCallExpression(call) && call.expression.getText() === 'expect';
}

/** `test('…', run, 5_000)`, `{ timeout: 5_000 }`. */
function isTimeLimit(node) {
  if (ts.isPropertyAssignment(node))
    return node.name.getText() === 'timeout' && ts.isNumericLiteral(node.initializer) && isOfTest(node.parent.parent);
  if (!ts.isNumericLiteral(node) || !ts.isCallExpression(node.parent)) return false;
  return declaring.test(node.parent.expression.getText()) && node.parent.arguments.at(-1) === node;
}

const isOfTest = (call) =>
  ts.isCallExpression(call) &&
  (declaring.test(call.expression.getText()) || call.expression.getText() === 'expect.poll');
