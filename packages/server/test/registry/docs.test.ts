import { readFileSync } from 'node:fs';
import { accountKinds, transferCauses } from '@agora-market/contract';
import { expect, test } from 'vitest';

test('docs/money.md explains every account and every way that credits move', () => {
  const page = readFileSync(new URL('../../../../docs/money.md', import.meta.url), 'utf8');
  for (const name of [...accountKinds, ...transferCauses]) expect(page).toContain(name);
});
