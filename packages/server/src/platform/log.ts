import { type Logger, pino } from 'pino';

export type { Logger };

/** Structured logs. Credentials never reach them: headers are not logged and these keys are cut wherever they stand. */
export const createLog = (level: string): Logger =>
  pino({
    level,
    redact: {
      paths: ['*.password', '*.token', '*.apiKey', '*.key', '*.secret', 'password', 'token', 'apiKey'],
      remove: true,
    },
  });
