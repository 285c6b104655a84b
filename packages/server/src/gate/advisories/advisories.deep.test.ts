import { expect, test } from 'vitest';
import { dependenciesOf } from './index.ts';

test('that are hostile are read quickly or not at all', () => {
  const startedMs = performance.now();
  expect(dependenciesOf('package-lock.json', '{"dependencies":'.repeat(5000))).toBeNull();
  dependenciesOf('requirements.txt', 'a'.repeat(500_000));
  dependenciesOf('requirements.txt', `${'a [ '.repeat(100_000)}==1`);
  dependenciesOf('go.mod', 'a.b/'.repeat(200_000));
  dependenciesOf('Cargo.lock', 'name = "a"\n'.repeat(100_000));
  expect(performance.now() - startedMs).toBeLessThan(3_000);
});
