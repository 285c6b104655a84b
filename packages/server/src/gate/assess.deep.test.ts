import { describe, expect, test } from 'vitest';
import { source, useHostSandboxes } from '../../test/support/gate/case.ts';
import { assess } from './index.ts';

useHostSandboxes();

describe('the fast path', () => {
  test('takes microseconds of a CPU where there is nothing to run', async () => {
    const given = source({ taskType: 'code_generation', output: { result: 'ok', model: 'm', turns: 3 } });
    for (let i = 0; i < 2000; i += 1) await assess(given);
    const before = process.cpuUsage();
    for (let i = 0; i < 5000; i += 1) await assess(given);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 5000).toBeLessThan(200);
  });
});
