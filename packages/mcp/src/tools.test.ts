import { type Operation, operations } from '@agora-market/contract';
import { Agora, type Credential } from '@agora-market/sdk';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createMcpServer } from './server.ts';
import { annotationsOf, type Tool, usersOf } from './tool.ts';
import { tools } from './tools/index.ts';

/** What a client with these credentials is listed. */
async function listed(...credentials: Credential[]) {
  const secrets = { owner: 'ownerToken', agent: 'agentKey', trust: 'trustKey', operator: 'operatorToken' } as const;
  const given = Object.fromEntries(credentials.map((credential) => [secrets[credential], 'a-secret']));
  const agora = new Agora({ baseUrl: 'http://127.0.0.1:9', ...given });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([createMcpServer({ agora }).connect(far), client.connect(near)]);
  return (await client.listTools()).tools;
}

const namesFor = async (...credentials: Credential[]) => (await listed(...credentials)).map(({ name }) => name);

const everyone = ['search_agents', 'get_agent', 'get_agent_reputation'];
const parties = [
  'quote_task',
  'list_tasks',
  'get_task',
  'wait_for_task',
  'cancel_task',
  'give_feedback',
  'open_dispute',
  'get_assessment',
  'get_balance',
  'list_transactions',
  'update_agent',
  'manage_webhooks',
];
const owners = [
  'submit_task',
  'top_up_pool',
  'register_agent',
  'set_agent_status',
  'rotate_agent_key',
  'list_approvals',
  'decide_approval',
  'set_policy',
];
const agents = [
  'hire_agent',
  'list_assigned_tasks',
  'start_task',
  'run_in_sandbox',
  'read_sandbox_file',
  'write_sandbox_file',
  'complete_task',
  'fail_task',
];
const all = [...everyone, ...parties, ...owners, ...agents];

describe('the list of tools', () => {
  test('has exactly 31 names', () => {
    expect(all).toHaveLength(31);
    expect(tools.map(({ name }) => name).toSorted()).toEqual(all.toSorted());
  });

  test.each<[string, Credential[], string[]]>([
    ['without credentials', [], everyone],
    ['for a trust key', ['trust'], everyone],
    ['for an owner', ['owner'], [...everyone, ...parties, ...owners]],
    ['for an agent', ['agent'], [...everyone, ...parties, ...agents]],
    ['for both', ['owner', 'agent'], all],
    ["for the operator's token, which is for no tool", ['operator'], everyone],
  ])('%s names what can be used', async (_, credentials, names) => {
    expect((await namesFor(...credentials)).toSorted()).toEqual(names.toSorted());
  });

  test('carries all four annotations, a title and both schemas on every tool', async () => {
    for (const { name, title, description, annotations, inputSchema, outputSchema } of await listed('owner', 'agent')) {
      expect(Object.keys(annotations ?? {}).toSorted(), name).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ]);
      expect([title, description?.length], name).toEqual([expect.stringMatching(/^[A-Z]/), expect.any(Number)]);
      expect([inputSchema.type, outputSchema?.type], name).toEqual(['object', 'object']);
      expect(JSON.stringify([inputSchema, outputSchema]), name).not.toContain('$ref');
    }
  });
});

const fieldsIn = ({ params, query, body }: Operation) => [params, query, body].map((part) => part?.shape ?? {});
const rowsOf = ({ uses }: Tool): Operation[] => uses.map((id) => operations[id]);
const json = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });

/** What tools ask besides the fields of their operations: which of these is meant, and what is to be shown. */
const choices: Record<string, string[]> = {
  decide_approval: ['action'],
  get_task: ['include', 'part', 'offset'],
  give_feedback: ['accept'],
  manage_webhooks: ['action'],
  read_sandbox_file: ['offset', 'limit'],
  run_in_sandbox: ['head', 'tail', 'background', 'kill'],
  set_agent_status: ['status'],
  wait_for_task: ['timeoutSeconds'],
};

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  const rows = rowsOf(tool);

  test('is a verb and a noun, and says when another tool is right', () => {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(tool.purpose.length).toBeLessThan(190);
    const named = tool.purpose.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
    expect(named.length > 0 || /[Oo]nly (if|on|after)/.test(tool.purpose)).toBe(true);
    expect(named.filter((other) => !all.includes(other))).toEqual([]);
  });

  test('has users, and effects that its operations can have', () => {
    expect(usersOf(tool).size).toBeGreaterThan(0);
    const { readOnlyHint, destructiveHint, idempotentHint } = annotationsOf(tool);
    // Only a rule that talks to the outside may read or change; the others are held to their transaction.
    expect(readOnlyHint).toBe(rows.every(({ tx, method }) => tx === 'read' || method === 'GET'));
    if (readOnlyHint) expect([destructiveHint, idempotentHint]).toEqual([false, true]);
  });

  test('asks for fields of its operations and describes none anew', () => {
    const known = rows.flatMap(fieldsIn);
    for (const [field, schema] of Object.entries(tool.input.shape)) {
      if (choices[name]?.includes(field)) continue;
      const types = known.flatMap((shape) => (shape[field] ? [json(shape[field]).type] : []));
      expect(types.length, field).toBeGreaterThan(0);
      expect(types, field).toContain(json(schema).type);
    }
  });

  test('leaves out no field that an operation of its own needs', () => {
    if (rows.length > 1) return;
    for (const [field, schema] of Object.entries(Object.assign({}, ...fieldsIn(rows[0] as Operation)))) {
      if (!(schema as z.ZodType).safeParse(undefined).success) expect(Object.keys(tool.input.shape)).toContain(field);
    }
  });

  test('answers what its operations answer', () => {
    const replies = rows.flatMap(({ reply, otherReplies = [] }) =>
      [reply, ...otherReplies].flatMap((r) => r.schema ?? []),
    );
    const known = replies.flatMap((schema) => {
      const { shape } = schema as z.ZodObject;
      return [shape, ...('data' in shape && shape.data instanceof z.ZodObject ? [shape.data.shape] : [])];
    });
    const isWhole = known.some((shape) => Object.keys(tool.output.shape).every((field) => field in shape));
    const parts = [
      'webhook',
      'webhooks',
      'delivery',
      'deliveries',
      'deleted',
      'task',
      'sandbox',
      'approval',
      'changes',
      'message',
      'messages',
      'part',
      'lines',
      'nextOffset',
      'pagination',
    ];
    const isMade = Object.keys(tool.output.shape).every(
      (field) => parts.includes(field) || known.some((shape) => field in shape),
    );
    expect(isWhole || isMade).toBe(true);
    for (const field of tool.shows ?? []) expect(Object.keys(tool.output.shape)).toContain(field);
  });
});

test('no operation that a tool uses has two fields of one name', () => {
  for (const tool of tools) {
    for (const row of rowsOf(tool)) {
      const names = [row.params, row.body ?? row.query].flatMap((part) => Object.keys(part?.shape ?? {}));
      expect(new Set(names).size, row.id).toBe(names.length);
    }
  }
});
