import { type Route, route } from '../platform/index.ts';
import type { TaskDeps } from '../tasks/index.ts';
import { acceptTask } from './accept.ts';
import { appealAssessment } from './appeals/appeal.ts';
import { getAssessment, listAssessments, type OtherAssessment, sampleAssessments } from './assessments.ts';
import { fileDispute } from './file.ts';
import { docket, docketEntry, getDispute, listDisputes } from './read.ts';
import { resolveDispute } from './resolve.ts';
import { respond, supplement } from './statements.ts';
import { disputedWork, docketWork } from './work.ts';

export const disputeRoutes = (deps: TaskDeps & { otherAssessment: OtherAssessment }): Route[] => [
  route('courts.getAssessment', (call) => getAssessment(deps, call)),
  route('courts.listAssessments', (call) => listAssessments(deps.pool, call)),
  route('courts.sampleAssessments', (call) => sampleAssessments(deps.pool, call)),
  route('courts.appealAssessment', (call) => appealAssessment(deps, call)),
  route('tasks.accept', (call) => acceptTask(deps, call)),
  route('tasks.dispute', (call) => fileDispute(deps, call)),
  route('courts.listDisputes', (call) => listDisputes(deps.pool, call)),
  route('courts.getDispute', (call) => getDispute(deps.pool, call)),
  route('courts.disputedWork', (call) => disputedWork(deps, call)),
  route('courts.respondToDispute', (call) => respond(deps, call)),
  route('courts.supplementDispute', (call) => supplement(deps, call)),
  route('courts.docket', (call) => docket(deps.pool, call)),
  route('courts.docketEntry', (call) => docketEntry(deps.pool, call)),
  route('courts.docketWork', (call) => docketWork(deps, call)),
  route('courts.resolveDispute', (call) => resolveDispute(deps, call)),
];
