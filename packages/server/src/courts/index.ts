export { createCourt, takeOverCourts } from './court.ts';
export type { Reassess } from './disputes/deps.ts';
export {
  assess,
  changesCode,
  type EvidenceSource,
  type GateAdditions,
  isBinLink,
  type Link,
  mendsTests,
  openAdvisories,
  openAttempts,
  rowsForSeller,
  schemaFault,
  unquoted,
  type Verdict,
} from './gate/index.ts';
export { configuredJudge, judgeState } from './judge/index.ts';
export { courtsRoutes } from './routes.ts';
export { eraseQuotes } from './sql.ts';
