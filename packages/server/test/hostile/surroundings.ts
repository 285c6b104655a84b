import { execFileSync } from 'node:child_process';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Forge } from '../support/forge-state.ts';
import { git, startGitServer } from '../support/git-server.ts';
import { startGitea } from '../support/gitea.ts';

/** What the server asks that others may have filled: a language model that says much, and a large repository. */
export interface Surroundings {
  judgeUrl: string;
  /** Many small files with long names. */
  repositoryUrl: string;
  /** Many bytes. */
  fullRepositoryUrl: string;
  /** The endpoint of webhooks; the path says how it answers. */
  receiverUrl: string;
  /** A forge with issues. */
  gitea: Forge;
  close(): Promise<void>;
}

/** Many files of one content in many directories, each with a name that is long. */
function fastImport(files: number, content: string): string {
  const lines = ['blob', 'mark :1', `data ${content.length}`, content, 'commit refs/heads/main'];
  lines.push('committer Ada <ada@example.com> 1767323045 +0000', 'data 1', 'x');
  for (let n = 0; n < files; n++) lines.push(`M 100644 :1 d${n % 500}/${'n'.repeat(150)}${n}.txt`);
  return `${lines.join('\n')}\n\ndone\n`;
}

function createRepository(root: string, name: string, files: number, content: string): void {
  git(root, 'init', '-q', '--bare', '-b', 'main', name);
  const input = fastImport(files, content);
  execFileSync('git', ['fast-import', '--quiet', '--done'], { cwd: join(root, name), input });
}

const zeros = Buffer.alloc(2 ** 16);
const answers: Record<string, (response: ServerResponse) => void> = {
  '/flood': (response) => {
    const more = () => {
      while (!response.destroyed && response.write(zeros));
      response.once('drain', more);
    };
    more();
  },
  '/drip': (response) => {
    const timer = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(timer));
  },
  '/heads': (response) => {
    for (let nth = 0; nth < 15; nth++) response.setHeader(`x-${nth}`, 'y'.repeat(1_000));
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(2 ** 24)));
  },
};

/** An endpoint of webhooks that answers as nobody should. */
async function startReceiver(): Promise<Server> {
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => answers[request.url ?? '']?.(response));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  return receiver;
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
  const receiver = await startReceiver();
  const repositories = await startGitServer();
  createRepository(repositories.root, 'large', 5_000, 'x\n');
  // 60 MiB: as much as a busy machine clones and lays well within a minute. What is done with it is linear.
  createRepository(repositories.root, 'full', 3_000, 'line of a file\n'.repeat(1_400));
  const gitea = await startGitea(() => new Date());
  return {
    gitea,
    judgeUrl: `http://127.0.0.1:${(judge.address() as AddressInfo).port}/v1`,
    repositoryUrl: `${repositories.url}/large`,
    fullRepositoryUrl: `${repositories.url}/full`,
    receiverUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    async close() {
      judge.closeAllConnections();
      judge.close();
      receiver.closeAllConnections();
      receiver.close();
      await Promise.all([repositories.close(), gitea.close()]);
    },
  };
}
