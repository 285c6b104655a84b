import { z } from 'zod';
import type { JobKind } from '../../jobs/index.ts';
import { hourMs, secondMs } from '../../platform/index.ts';

const often = { attempts: 20, atOnce: 4, timeoutMs: 60_000, pauseMs: { first: 10 * secondMs, longest: hourMs } };

const asked = z.object({ requestId: z.string() });

/** Finds out what was asked for, and submits the task. */
export const readRequestKind: JobKind<z.infer<typeof asked>> = {
  ...often,
  name: 'forges.readRequest',
  payload: asked,
};

const telling = asked.extend({ what: z.enum(['refused', 'started', 'ended']) });
export type Telling = z.infer<typeof telling>;

/** Says in a comment what became of a request. */
export const tellRequestKind: JobKind<Telling> = { ...often, name: 'forges.tellRequest', payload: telling };
