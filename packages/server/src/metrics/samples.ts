import type { RequestTotals } from '../platform/index.ts';

/** Figures of the database as they are kept: a value, or one of each value of their last label. */
export type KeptFigures = Record<string, number | null | Record<string, number>>;

export interface DatabaseFigures {
  /** Reads them where the last look is old; false if the database does not give them. */
  read(): Promise<boolean>;
  /** The same of those that the history keeps. */
  readKept(): Promise<boolean>;
  /** What was read last. */
  kept(): KeptFigures;
}

/** What one server process keeps once a minute. Totals are since it began. */
export interface ServerFigures extends RequestTotals {
  /** Milliseconds in which its event loop worked, and waited for work. */
  loopActiveMs: number;
  loopIdleMs: number;
  memoryBytes: number;
  connectionsBusy: number;
  connectionsWaiting: number;
  timedJobLagSeconds: number;
}

/** Takes the place of a server where a sample is of the database. */
export const databaseHost = '00000000-0000-0000-0000-000000000000';

/** One sample. Of a minute that has one of its host, no second is kept. */
export interface Sample<Figures> {
  host: string;
  atMs: number;
  figures: Figures;
}
