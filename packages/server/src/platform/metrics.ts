import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** What this process counts for Prometheus. An application has its own, because tests run several in one process. */
export interface Metrics {
  /** Figures that are read when they are asked for are added here. */
  registry: Registry;
  /** A request was answered; `operation` is null where the path is none of ours. */
  answered(operation: string | null, status: number, ms: number): void;
  /** Totals of requests since the process began, for a history of them. */
  totals(): Promise<RequestTotals>;
  /** So many steps were written in one transaction. */
  committed(steps: number): void;
  /** Everything, in Prometheus' text format. */
  text(): Promise<string>;
}

/** Requests since the process began. */
export interface RequestTotals {
  requests: number;
  /** Of them, those refused with 4xx, and those failed with 5xx. */
  clientErrors: number;
  serverErrors: number;
  /** How many took at most so long (`requestSeconds`), and all, without those that wait on purpose. */
  within: number[];
}

/** Long polls, streams, deliveries and work in sandboxes wait on purpose. */
const waitsOnPurpose = /^(tasks\.(stream|follow|assigned|complete)$|sandbox\.)/;

/** Upper bounds in seconds. The first is what a read takes, the last what a caller still waits for. */
export const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Sums of other figures, which Prometheus' rules of naming (`promtool check metrics`) take for counters. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'agora_http_requests_total',
    help: 'Answered requests, by operation of the API and by status',
    labelNames: ['operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'agora_http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its answer, by operation of the API',
    labelNames: ['operation'],
    buckets: requestSeconds,
    registers,
  });
  const batches = new Histogram({
    name: 'agora_step_batch_size',
    help: 'Steps of tasks that were committed in one transaction',
    buckets: batchSizes,
    registers,
  });
  let isAsked = false;
  return {
    registry,
    answered(operation, status, ms) {
      const name = operation ?? 'none';
      requests.inc({ operation: name, status });
      durations.observe({ operation: name }, ms / 1000);
    },
    async totals() {
      const { values } = await requests.get();
      const withStatus = (first: string) =>
        values.reduce((sum, { value, labels }) => (String(labels.status).startsWith(first) ? sum + value : sum), 0);
      const counted = new Map<string, number>();
      for (const { value, labels, metricName } of (await durations.get()).values) {
        if (!metricName?.endsWith('_bucket') || waitsOnPurpose.test(String(labels.operation))) continue;
        const until = String((labels as { le?: string | number }).le);
        counted.set(until, (counted.get(until) ?? 0) + value);
      }
      return {
        requests: withStatus(''),
        clientErrors: withStatus('4'),
        serverErrors: withStatus('5'),
        within: [...requestSeconds, '+Inf'].map((until) => counted.get(String(until)) ?? 0),
      };
    },
    committed: (steps) => batches.observe(steps),
    text() {
      // Watching the event loop and the garbage collector costs something, so it begins when somebody looks.
      if (!isAsked) {
        collectDefaultMetrics({ register: registry });
        for (const name of misnamed) registry.removeSingleMetric(name);
      }
      isAsked = true;
      return registry.metrics();
    },
  };
}
