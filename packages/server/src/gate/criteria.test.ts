import { readFileSync } from 'node:fs';
import { gate, taskTypes } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { ceilings, criteriaTable, kinds, weights } from './criteria.ts';

test('docs/quality-gate.md shows the criteria of every task type exactly as the code has them', () => {
  const page = readFileSync(new URL('../../../../docs/quality-gate.md', import.meta.url), 'utf8');
  expect(page).toContain(criteriaTable());
  for (const type of taskTypes) expect(criteriaTable()).toContain(type);
});

test('every kind of evidence that fails keeps a delivery from passing; a linter alone only leads to the judge', () => {
  for (const kind of kinds) {
    if (kind === 'lint') continue;
    expect([kind, ceilings[kind] < gate.passScore]).toEqual([kind, true]);
  }
  expect(ceilings.lint).toBeGreaterThanOrEqual(gate.judgeFrom);
  expect(ceilings.lint).toBeLessThanOrEqual(gate.judgeTo);
});

test('what can be in order without proving anything weighs nothing', () => {
  for (const type of taskTypes) {
    expect(weights[type]).toMatchObject({ build: 0, lint: 0, secrets: 0, advisories: 0 });
  }
});
