import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { git, startGitServer } from '../git-server.ts';

/** What the server asks that others may have filled: a language model that says much, and a large repository. */
export interface Surroundings {
  judgeUrl: string;
  repositoryUrl: string;
  close(): Promise<void>;
}

const files = 5_000;

/** Many small files in many directories, each with a name that is long. */
function fastImport(): string {
  const lines = ['blob', 'mark :1', 'data 2', 'x', '', 'commit refs/heads/main'];
  lines.push('committer Ada <ada@example.com> 1767323045 +0000', 'data 1', 'x');
  for (let n = 0; n < files; n++) lines.push(`M 100644 :1 d${n % 500}/${'n'.repeat(150)}${n}.txt`);
  return `${lines.join('\n')}\n\ndone\n`;
}

export async function startSurroundings(): Promise<Surroundings> {
  const judge = createServer((request, response) => {
    request.resume().on('end', () => {
      const content = JSON.stringify({ reasons: 'It is so. '.repeat(5_000), score: 60 });
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      const usage = { prompt_tokens: 700, completion_tokens: 50, total_tokens: 750 };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices, usage }));
    });
  });
  await new Promise<void>((resolve) => judge.listen(0, '127.0.0.1', resolve));
  const repositories = await startGitServer();
  git(repositories.root, 'init', '-q', '--bare', '-b', 'main', 'large');
  execFileSync('git', ['fast-import', '--quiet', '--done'], {
    cwd: join(repositories.root, 'large'),
    input: fastImport(),
  });
  return {
    judgeUrl: `http://127.0.0.1:${(judge.address() as AddressInfo).port}/v1`,
    repositoryUrl: `${repositories.url}/large`,
    async close() {
      judge.closeAllConnections();
      judge.close();
      await repositories.close();
    },
  };
}
