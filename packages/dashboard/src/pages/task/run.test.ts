import type { Assessment, ItemOf } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import { filtered, runOf, spanOf } from './run.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();
let events = 0;
const event = (eventType: string, second: number, data: Record<string, unknown> = {}): ItemOf<'tasks.events'> => ({
  ...{ eventId: `evt_${++events}`, eventType, sourceDistrict: 'tasks', timestamp: at(second), data, metadata: {} },
});
const command = (label: string, second: number, exitCode: number | null, durationMs: number | null = 1_000) => ({
  ...{ label, agentId: 'agt_1', startedAt: at(second), running: durationMs === null, durationMs, exitCode },
  timedOut: false,
});
const gate = (criteria: Partial<Assessment['criteria'][number]>[]) =>
  ({
    purpose: 'gate',
    criteria: criteria.map((each) => ({ weight: 1, evidence: '', ...each })),
  }) as unknown as Assessment;

const passedOn = [
  event('task.submitted', 0),
  event('task.assigned', 0),
  event('task.unassigned', 10, { because: 'declined' }),
  event('task.assigned', 10),
  event('task.started', 20),
  event('task.progressed', 22, { percent: 40, message: 'It builds.' }),
  event('task.delivered', 40),
  event('task.completed', 50, { qualityScore: 90 }),
];

describe('a run', () => {
  test('is attempts with their steps, and commands, notes and checks in these, in the order of their beginnings', () => {
    const rows = runOf(
      passedOn,
      [command('npm', 21, 1), command('npm', 25, 0)],
      [
        gate([
          { name: 'check: fixed', score: 100, durationMs: 4_000, exitCode: 0 },
          { name: 'output', score: 100 },
        ]),
      ],
    );
    const said = rows.map(({ depth, title, state, aside }) => [depth, title, state, ...(aside ? [aside] : [])]);
    expect(said).toEqual([
      [0, 'Waiting for an agent', 'done'],
      [0, 'Attempt 1', 'failed', 'The agent declined'],
      [1, 'Offered to the agent', 'failed'],
      [0, 'Attempt 2', 'done', 'The work passed with 90 of 100'],
      [1, 'Offered to the agent', 'done'],
      [1, 'Work', 'done'],
      [2, 'npm', 'failed', 'exit code 1'],
      [2, 'It builds.', 'none', '40 %'],
      [2, 'npm', 'done', 'exit code 0'],
      [1, 'Quality gate', 'done'],
      [2, 'fixed', 'done', 'exit code 0'],
    ]);
    expect(spanOf(rows, 0)).toEqual({ from: Date.parse(at(0)), ms: 50_000 });
  });

  test('that goes on lasts until now, as do its attempt, its step and the command that runs', () => {
    const rows = runOf(passedOn.slice(0, 5), [command('npm', 21, null, null)], []);
    expect(rows.filter(({ to }) => to === null).map(({ title }) => title)).toEqual(['Attempt 2', 'Work', 'npm']);
    expect(spanOf(rows, Date.parse(at(33))).ms).toBe(33_000);
  });

  test('is filtered by kind and by words, also of what was printed', () => {
    const evidence = 'Ended. Output ends:\nAssertionError: sums';
    const printed = gate([{ name: 'tests', score: 0, durationMs: 1, evidence }]);
    const rows = runOf(passedOn, [command('npm', 21, 0)], [printed]);
    const titles = (filter: Parameters<typeof filtered>[1]) => filtered(rows, filter).map(({ kind }) => kind);
    expect(titles({ kind: 'command', text: '' })).toEqual(['command']);
    expect(titles({ kind: 'all', text: 'assertionerror' })).toEqual(['check']);
    expect(titles({ kind: 'note', text: 'builds' })).toEqual(['note']);
    expect(titles({ kind: 'note', text: 'nowhere' })).toEqual([]);
  });
});
