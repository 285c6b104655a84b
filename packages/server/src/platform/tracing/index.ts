import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { Tracing } from './tracing.ts';

export { follow, type Roots, type Tracing } from './tracing.ts';

/** Null where no endpoint is set; nothing of OpenTelemetry is loaded then. */
export async function openTracing(config: Config, log: Logger): Promise<Tracing | null> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return null;
  const { createTracing } = await import('./otlp.ts');
  return createTracing(config, log);
}
