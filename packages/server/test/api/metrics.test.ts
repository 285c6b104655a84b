import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { hire, makePair, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();
const docs = new URL('../../../../docs/operating/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, docs), 'utf8');

/** The samples of a scrape: `name{labels}` and the value. */
async function scrape(of: Pick<TestServer, 'operator'> = server): Promise<Map<string, number>> {
  const text = await of.operator().system.metrics();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}
const metricNames = (text: string) => new Set(text.match(/\b(?:agora|process|nodejs)_\w*[a-z]\b(?!-)/g));

describe('GET /metrics', () => {
  test('is for the operator alone', async () => {
    const { buyer } = await makePair(server);
    expect(await refusalOf(server.client().system.metrics())).toBe('401 MISSING_CREDENTIALS');
    expect(await refusalOf(server.client({ operatorToken: buyer.token }).system.metrics())).toMatch(/^401 /);
  });

  test('counts requests by operation and status, and unknown paths together', async () => {
    const before = await scrape();
    await server.client().system.health();
    await refusalOf(server.client().tasks.list());
    for (const path of ['/api/v1/nowhere', '/api/v1/elsewhere', '/x'])
      expect((await fetch(server.url + path)).status).toBe(404);
    const after = await scrape();
    const more = (sample: string) => (after.get(sample) ?? 0) - (before.get(sample) ?? 0);
    expect(more('agora_http_requests_total{operation="system.health",status="200"}')).toBe(1);
    expect(more('agora_http_requests_total{operation="tasks.list",status="401"}')).toBe(1);
    expect(more('agora_http_requests_total{operation="none",status="404"}')).toBe(3);
    expect(more('agora_http_request_duration_seconds_count{operation="system.health"}')).toBe(1);
    expect([...after.keys()].some((sample) => sample.includes('nowhere'))).toBe(false);
  });

  test('names each figure by the rules of Prometheus, which `promtool check metrics` compares', async () => {
    const text = await server.operator().system.metrics();
    const figures = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type]) => ({ name, type }));
    expect(figures.length).toBeGreaterThan(30);
    const named = (test: (name: string) => boolean) => figures.map(({ name }) => name).filter(test);
    expect(named((name) => !new RegExp(`^# HELP ${name} \\S`, 'm').test(text))).toEqual([]);
    expect(named((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
    expect(named((name) => /_(gauge|counter|histogram|summary|count|sum|bucket)(_|$)/.test(name))).toEqual([]);
    expect(
      named((name) => /_(ms|s|sec|milliseconds|minutes|hours|days|kb|mb|kilobytes|percent)(_|$)/.test(name)),
    ).toEqual([]);
    expect(named((name) => name.endsWith('_total'))).toEqual(
      figures.filter(({ type }) => type === 'counter').map(({ name }) => name),
    );
  });

  test('tells open tasks, batches, ledger, jobs and connections', async () => {
    const pair = await makePair(server, { credits: 5_000 });
    await hire(pair);
    // Figures of the database are a few seconds old.
    await expect.poll(async () => (await scrape()).get('agora_open_tasks{status="submitted"}')).toBe(1);
    const figures = await scrape();
    expect(figures.get('agora_step_batch_size_count')).toBeGreaterThan(0);
    expect(figures.get('agora_ledger_held_difference_cents')).toBe(0);
    expect(figures.get('agora_ledger_cents{kind="pool_available"}')).toBeGreaterThan(0);
    expect(figures.get('agora_database_up')).toBe(1);
    expect(figures.get('agora_job_lag_seconds{job="tasks.findFree"}')).toBeGreaterThanOrEqual(0);
    expect(figures.get('agora_database_connections{state="waiting"}')).toBe(0);
    expect(figures.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
    expect(figures.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  test('tells the rest while the database does not answer, says so, and recovers', async () => {
    const other = await startTestServer();
    try {
      await other.pool.query('alter table queued_jobs rename to elsewhere');
      const without = await scrape(other);
      expect(without.get('agora_database_up')).toBe(0);
      expect(without.has('agora_overdue_tasks_seconds')).toBe(false);
      expect(without.get('agora_database_connections{state="waiting"}')).toBe(0);
      await other.pool.query('alter table elsewhere rename to queued_jobs');
      const again = await scrape(other);
      expect(again.get('agora_database_up')).toBe(1);
      expect(again.get('agora_overdue_tasks_seconds')).toBe(0);
    } finally {
      await other.close();
    }
  });
});

describe('docs/operating', () => {
  test.each(['grafana-dashboard.json', 'alerts.yml', 'README.md'])('%s reads only figures that exist', async (file) => {
    const text = await server.operator().system.metrics();
    const told = metricNames(text);
    const used = metricNames(
      read(file)
        .replaceAll('_bucket', '')
        .replaceAll(/_(sum|count)\b/g, ''),
    );
    expect(used.size).toBeGreaterThan(3);
    expect([...used].filter((name) => !told.has(name))).toEqual([]);
  });

  test('has a section for each alert', () => {
    const rules = parse(read('alerts.yml')).groups.flatMap((group: { rules: { alert: string }[] }) => group.rules);
    const sections = read('README.md').match(/(?<=^### )\w+$/gm);
    expect(sections).toEqual(rules.map(({ alert }: { alert: string }) => alert));
  });
});
