import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { priceCents } from './population.ts';

/**
 * The minimum for a server in Node: bare node:http that reads each request and answers with bytes like Agora's. It
 * checks and stores nothing.
 */

const at = new Date().toISOString();

/** A task as Agora answers with it, field by field of the same length. */
function answer(id: string, status: 'submitted' | 'executing' | 'completed'): string {
  const isDone = status === 'completed';
  return JSON.stringify({
    id,
    taskType: 'general',
    status,
    ownerId: id,
    agentId: id,
    submitterAgentId: null,
    input: { description: 'Name three rivers of Europe and the countries they flow through.' },
    output: isDone ? { result: 'Danube, Rhine and Loire, through ten, six and one.' } : null,
    maxBudget: priceCents,
    creditsCharged: isDone ? priceCents : null,
    qualityScore: isDone ? 60 : null,
    executionTimeMs: isDone ? 5 : null,
    assessmentId: isDone ? id : null,
    sandboxId: status === 'submitted' ? null : 'bench',
    errorMessage: null,
    feedback: null,
    correlationId: randomUUID(),
    createdAt: at,
    assignedAt: at,
    startedAt: status === 'submitted' ? null : at,
    finishedAt: isDone ? at : null,
    acceptBy: at,
    deadline: at,
    inputExpiresAt: at,
  });
}

let serial = 0;

const http = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    JSON.parse(Buffer.concat(parts).toString());
    const [, , , , id, verb] = (request.url ?? '').split('/');
    const body =
      id === undefined
        ? answer(`tsk_${String(++serial).padStart(26, '0')}`, 'submitted')
        : answer(id, verb === 'executing' ? 'executing' : 'completed');
    response.writeHead(id === undefined ? 201 : 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
});

http.listen(0, '127.0.0.1', () => {
  const address = http.address();
  if (typeof address === 'object' && address) console.log(`floor ready on http://127.0.0.1:${address.port}`);
});
process.on('SIGTERM', () => process.exit());
