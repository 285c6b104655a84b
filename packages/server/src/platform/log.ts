import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

/**
 * Logs to stdout: lines for people on a terminal, else JSON. Credentials never reach the log: headers are not logged,
 * and these keys are removed everywhere.
 */
export const createLog = (level: string): Logger =>
  pino(
    {
      level,
      redact: {
        paths: ['*.password', '*.token', '*.apiKey', '*.key', '*.secret', 'password', 'token', 'apiKey'],
        remove: true,
      },
    },
    process.stdout.isTTY ? linesForPeople() : pino.destination(1),
  );

/** Written at once, so that nothing is lost when the process ends. */
const linesForPeople = () =>
  pretty({
    destination: 1,
    sync: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    colorize: process.env.NO_COLOR === undefined,
  });
