import { describe, expect, test } from 'vitest';
import { budgets, bundleOf } from '../../../bench/src/dashboard/bundle.ts';

const { initial, routes } = bundleOf(new URL('../../server/build/dashboard/', import.meta.url));

describe('JavaScript that is loaded', () => {
  test('before a visitor sees the start page fits the budget', () => {
    expect(initial.bytes, initial.files).toBeLessThanOrEqual(budgets.initial);
  });

  test.each(routes)('for $what, beyond what every page has, fits the budget', ({ bytes, files }) => {
    expect(bytes, files).toBeLessThanOrEqual(budgets.route);
  });

  test('is split by page, so that the budgets mean something', () => {
    expect(routes.length).toBeGreaterThan(20);
  });
});
