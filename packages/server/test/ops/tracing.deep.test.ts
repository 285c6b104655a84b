import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { hireAndPass, makePair } from '../api/scene.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

/** Traces, as a collector gets them: OTLP over HTTP, in JSON. */

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status: { code?: number };
  attributes: { key: string; value: Record<string, unknown> }[];
}

const received: Span[] = [];
const bodies: string[] = [];
const collector = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    body += part;
  });
  request.on('end', () => {
    bodies.push(body);
    for (const { scopeSpans } of JSON.parse(body).resourceSpans)
      for (const { spans } of scopeSpans) received.push(...spans);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
const withinTrace = () => received.filter((span) => span.traceId === traceId);

let server: TestServer;
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  server = await startTestServer({ config: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
});
afterAll(() => collector.close());

test('requests, what they write and the jobs that follow are sent to the collector, the rest as the server stops', async () => {
  const pair = await makePair(server);
  await hireAndPass(pair);
  await server.app.run('mail.send');
  const own = { traceparent, 'x-correlation-id': 'from-the-caller', authorization: `Bearer ${pair.buyer.token}` };
  const refused = await fetch(`${server.url}/api/v1/tasks/task_nothing?secret=in-the-query`, { headers: own });
  expect([refused.status, refused.headers.get('x-correlation-id')]).toEqual([404, 'from-the-caller']);
  const made = await fetch(`${server.url}/api/v1/auth/tokens`, {
    method: 'POST',
    headers: { ...own, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'a-name-that-a-party-wrote' }),
  });
  expect(made.status).toBe(201);
  const { token } = (await made.json()) as { token: string };
  expect((await fetch(`${server.url}/api/v1/no/such/path`, { headers: { traceparent } })).status).toBe(404);
  await server.close();

  const [read, ...others] = withinTrace().filter(({ name }) => name === 'tasks.get');
  expect(others).toEqual([]);
  expect(read).toMatchObject({ parentSpanId: 'b7ad6b7169203331', kind: 2 });
  expect(attributesOf(read as Span)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/api/v1/tasks/:taskId',
    'http.response.status_code': 404,
    'agora.correlation_id': 'from-the-caller',
  });
  const create = withinTrace().find(({ name }) => name === 'auth.createToken');
  expect(withinTrace()).toContainEqual(
    expect.objectContaining({ name: 'transaction write', parentSpanId: create?.spanId }),
  );
  expect(withinTrace().map(({ name }) => name)).toContain('GET /*');
  const submit = received.find(({ name }) => name === 'tasks.submit');
  expect(submit?.traceId).not.toBe(traceId);
  expect(received).toContainEqual(
    expect.objectContaining({ name: expect.stringMatching(/^step /), parentSpanId: submit?.spanId }),
  );
  // A job of the queue is a trace of its own, whatever made it.
  const job = received.find(({ name }) => name === 'job mail.send');
  expect(job?.parentSpanId ?? '').toBe('');
  const sent = bodies.join('\n');
  expect(sent).toContain('"service.name"');
  for (const secret of [
    pair.buyer.token,
    pair.agent.key,
    token,
    pair.buyer.email,
    'in-the-query',
    'that-a-party-wrote',
  ])
    expect(sent).not.toContain(secret);
});

test('a caller that says not to sample is heard', async () => {
  const quiet = await startTestServer({
    config: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}` },
  });
  const unsampled = '1af7651916cd43dd8448eb211c80319c';
  await fetch(`${quiet.url}/api/v1/health`, { headers: { traceparent: `00-${unsampled}-b7ad6b7169203331-00` } });
  await fetch(`${quiet.url}/api/v1/health`, { headers: { 'x-correlation-id': 'sampled' } });
  await quiet.close();
  expect(received.some((span) => attributesOf(span)['agora.correlation_id'] === 'sampled')).toBe(true);
  expect(received.some((span) => span.traceId === unsampled)).toBe(false);
});

test.each([
  ['refuses connections', 'http://127.0.0.1:9'],
  ['never answers', null],
])('a collector that %s changes nothing in replies and holds up no stop', async (_, given) => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.closeAllConnections());
  onTestFinished(() => void silent.close());
  const endpoint = given ?? `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const traced = await startTestServer({ config: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
  const pair = await makePair(traced);
  expect((await hireAndPass(pair)).status).toBe('completed');
  // More than the queue holds.
  for (let round = 0; round < 50; round++) {
    const all = await Promise.all(Array.from({ length: 60 }, () => fetch(`${traced.url}/api/v1/health`)));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    await Promise.all(all.map((each) => each.arrayBuffer()));
  }
  await traced.close();
});
