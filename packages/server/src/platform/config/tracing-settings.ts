import { z } from 'zod';
import { httpUrl } from './values.ts';

/** Settings about traces, named as OpenTelemetry names them. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    httpUrl.optional(),
    'Collector of traces that takes OTLP over HTTP, such as http://127.0.0.1:4318; without it nothing is traced',
  ],
  OTEL_SERVICE_NAME: [z.string().min(1).max(200).default('agora'), 'Name of the service in traces'],
  OTEL_TRACES_SAMPLER_ARG: [
    z.coerce.number().min(0).max(1).default(1),
    'Share of traces that are sent, from 0 to 1; a caller that sends `traceparent` decides for its own',
  ],
} as const satisfies Record<string, readonly [z.ZodType, string]>;
