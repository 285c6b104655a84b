import { expect, test } from 'vitest';
import { nearestName } from './nearest.ts';

const known = ['description', 'code', 'files', 'repo', 'acceptance', 'tags'];

test.each([
  ['descripton', 'description'],
  ['Description', 'description'],
  ['desciption', 'description'],
  ['decsription', 'description'],
  ['acceptanceCriteria', 'acceptance'],
  ['acceptance_tests', 'acceptance'],
  ['acceptence', 'acceptance'],
  ['file', 'files'],
  ['tag', 'tags'],
  ['repos', 'repo'],
  ['cdoe', 'code'],
])('%s probably stands for %s', (given, name) => {
  expect(nearestName(given, known)).toBe(name);
});

test.each([
  '',
  'language',
  'codeStyle',
  'report',
  'customer',
  'x',
  'acc',
  'a'.repeat(41),
  `description${'x'.repeat(40)}`,
])('%s stands for itself', (given) => {
  expect(nearestName(given, known)).toBeNull();
});
