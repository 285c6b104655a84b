// For the runner of Node itself: NODE_OPTIONS names it beside the reporter that people read.
import { resolve } from 'node:path';
import lines from './lines.cjs';

/** A file that defined no test, or ended before it could, is reported by its path as if it were a test. */
const isFile = ({ name, nesting, file }) => nesting === 0 && file !== undefined && resolve(name) === file;

/** Parents are reported after their subtests; the names of those that have begun make the title. */
export default async function* reporter(events) {
  const titles = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') titles.splice(data.nesting, titles.length, data.name);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    // A suite is no test, but where its own hooks fail.
    const { type: kind, error } = data.details ?? {};
    if (kind === 'suite' && (type === 'test:pass' || error?.failureType === 'subtestsFailed')) continue;
    const name = isFile(data) ? '' : [...titles.slice(0, data.nesting), data.name].join(' > ');
    const isSkipped = data.skip !== undefined || data.todo !== undefined;
    const status = isSkipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    lines.report({ runner: 'node:test', file: data.file ?? null, name, status, ms: data.details?.duration_ms ?? null });
  }
  yield '';
}
