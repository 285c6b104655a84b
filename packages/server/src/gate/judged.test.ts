import type { JudgeOpinion } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { bug, type Case, fixed, sandboxes, source, useHostSandboxes } from '../../test/support/gate/case.ts';
import { GateUnavailable } from './errors.ts';
import { assess } from './index.ts';
import type { LanguageJudge } from './judge/index.ts';

useHostSandboxes();

type Matter = Parameters<LanguageJudge['opinionOn']>[0];

/** A judge that keeps what it was told and always says the same. */
function judgeWith(opinion: Partial<JudgeOpinion> = {}) {
  const asked: Matter[] = [];
  const judge: LanguageJudge = {
    opinionOn: async (matter) => {
      asked.push(matter);
      return { status: 'judged', model: 'm', score: 40, reasons: 'Because.', tokens: null, ...opinion };
    },
  };
  return { judge, asked };
}

/** No test declares anything, so nothing proves or disproves the work. */
const unproved: Case = {
  taskType: 'bug_fix',
  original: { 'sum.js': bug['sum.js'], 'same.js': 'same' },
  delivered: {
    'sum.js': fixed['sum.js'],
    'same.js': 'same',
    'package-lock.json': '{}',
    'dist/out.js': 'built',
    'deep/new.txt': 'new',
  },
};

describe('a judge', () => {
  test('is shown the rows so far and the changed files that people write, and is the other half of the score', async () => {
    const { judge, asked } = judgeWith();
    const verdict = await assess(source(unproved), { judge });
    expect(verdict).toMatchObject({ score: 50, passed: true, judge: { status: 'judged', score: 40 } });
    expect(asked).toHaveLength(1);
    expect(asked[0]!.files).toEqual([
      { path: 'sum.js', text: fixed['sum.js'] },
      { path: 'deep/new.txt', text: 'new' },
    ]);
    expect(asked[0]!.criteria.map(({ name }) => name)).toEqual(['output', 'secrets', 'advisories']);
  });

  test('is not asked about what evidence decides', async () => {
    const { judge, asked } = judgeWith();
    const proved = await assess(source({ original: bug, delivered: fixed }), { judge });
    const refuted = await assess(source({ original: bug, delivered: bug, acceptance: { checks: [failing] } }), {
      judge,
    });
    const refused = await assess(source({ output: { result: 'I cannot do this task.' } }), { judge });
    expect([proved.judge, refuted.judge, refused.judge]).toEqual([null, null, null]);
    expect(asked).toEqual([]);
  });

  test('is asked whatever the agent declares, so that a low estimate hides nothing', async () => {
    const { judge, asked } = judgeWith({ score: 90 });
    expect(await assess(source({ declaredScore: 10 }), { judge })).toMatchObject({ score: 10, judge: { score: 90 } });
    expect(asked).toHaveLength(1);
    expect(asked[0]!.criteria.map(({ name }) => name)).not.toContain('declared');
  });

  test.each(['unreachable', 'timed_out', 'refused', 'malformed', 'over_budget', 'paused'] as const)(
    'without an answer (%s) leaves the verdict as the rules made it',
    async (status) => {
      const { judge } = judgeWith({ status, score: null });
      const alone = await assess(source(unproved));
      const verdict = await assess(source(unproved), { judge });
      expect(verdict).toMatchObject({ score: alone.score, passed: alone.passed, judge: { status, score: null } });
      expect(verdict.criteria).toEqual(alone.criteria);
    },
  );

  test('that the platform itself could not ask leaves no verdict, and the gate is run again', async () => {
    const judge: LanguageJudge = { opinionOn: () => Promise.reject(new GateUnavailable('stopping')) };
    await expect(assess(source({}), { judge })).rejects.toBeInstanceOf(GateUnavailable);
  });

  test('costs no sandbox where there is nothing to look at', async () => {
    await assess(source({ taskType: 'research' }), { judge: judgeWith().judge });
    expect(sandboxes.opened).toEqual([]);
  });
});

const failing = { name: 'no', command: 'false' };
