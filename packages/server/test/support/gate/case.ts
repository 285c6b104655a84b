import { dirname } from 'node:path';
import type { TaskInput } from '@agora-market/contract';
import { afterEach, beforeEach, expect } from 'vitest';
import { assess, type EvidenceSource, type Verdict } from '../../../src/gate/index.ts';
import { type HostSandboxes, hostSandboxes, laid } from './host-sandbox.ts';

/** The commands of these tests see the usual tools and this Node. */
const search = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

export let sandboxes: HostSandboxes;

/** Every test gets its own sandboxes, and the gate must have ended each that it opened exactly once. */
export function useHostSandboxes() {
  beforeEach(() => {
    sandboxes = hostSandboxes(search);
  });
  afterEach(() => {
    expect(sandboxes.opened.every((sandbox) => sandbox.destroyed === 1)).toBe(true);
  });
}

export interface Case {
  taskType?: EvidenceSource['task']['taskType'];
  acceptance?: unknown;
  output?: Record<string, unknown> | null;
  declaredScore?: number | null;
  original?: Record<string, string>;
  /** Null: the agent never used a sandbox. */
  delivered?: Record<string, string> | null;
  arrange?: (directory: string) => Promise<void>;
  input?: Record<string, unknown>;
}

export function source(given: Case): EvidenceSource {
  const { delivered = null, original = {}, acceptance } = given;
  return {
    task: {
      id: 'tsk_test',
      ownerId: 'own_test',
      taskType: given.taskType ?? 'bug_fix',
      // Cases also have shapes that no submission lets through.
      input: {
        description: 'Fix it',
        ...(acceptance === undefined ? {} : { acceptance }),
        ...given.input,
      } as TaskInput,
      output: given.output === undefined ? { result: 'Fixed the sum.' } : given.output,
      declaredScore: given.declaredScore ?? null,
    },
    workspace: delivered === null ? null : { export: () => sandboxes.archiveOf(delivered, given.arrange) },
    openSandbox: sandboxes.open,
    originalFiles: laid(original),
  };
}

export const gate = (given: Case) => assess(source(given));
export const row = (verdict: Verdict, name: string) => verdict.criteria.find((criterion) => criterion.name === name);

export const bug = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'sum.js': 'export const sum = (a, b) => a - b;\n',
  'sum.test.js':
    "import { strict as assert } from 'node:assert';\nimport test from 'node:test';\nimport { sum } from './sum.js';\ntest('adds', () => assert.equal(sum(2, 2), 4));\ntest('zero', () => assert.equal(sum(1, 0), 1));\n",
};
export const fixed = { ...bug, 'sum.js': 'export const sum = (a, b) => a + b;\n' };
export const proves = {
  checks: [{ name: 'adds', command: `node -e "import('./sum.js').then(m => process.exit(m.sum(2,2) === 4 ? 0 : 1))"` }],
};
