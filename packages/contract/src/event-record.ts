import { z } from 'zod';
import { id } from './ids.ts';
import { timestamp } from './operation.ts';

/** An event as readers get it. `metadata.correlationId` links all events of one request or task. */
export const eventRecord = z.object({
  eventId: id('event'),
  eventType: z.string(),
  sourceDistrict: z.string(),
  timestamp,
  data: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()),
});
