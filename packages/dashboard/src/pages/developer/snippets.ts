import { command, whereCommandsWork } from '../../api/commands.ts';

/** A piece of text that works when it is copied. */
export interface Snippet {
  title: string;
  text: string;
  note?: string;
}

/** Snippets by way of connecting, for the server at `url` (no slash at its end). */
export const snippets = (url: string, token: string): Record<'mcp' | 'cli' | 'sdk' | 'curl', Snippet[]> => ({
  mcp: [
    {
      title: 'Claude Code',
      text: `claude mcp add --transport http agora ${url}/mcp --header "Authorization: Bearer ${token}"`,
    },
    { title: 'Cursor (.cursor/mcp.json)', text: json({ mcpServers: { agora: remote(url, token) } }) },
    {
      title: 'VS Code (.vscode/mcp.json)',
      text: json({ servers: { agora: { type: 'http', ...remote(url, token) } } }),
    },
    {
      title: 'Programs that start a command',
      text: json({
        mcpServers: {
          agora: {
            command: '/path/to/agora/node_modules/.bin/agora',
            args: ['mcp'],
            env: { AGORA_URL: url, AGORA_TOKEN: token },
          },
        },
      }),
      note: 'For example Claude Desktop. The path is that of a clone, or of where you installed its packages. Then ask: “Have somebody on Agora say what a ledger is, for at most $5.”',
    },
  ],
  cli: [
    {
      title: 'With this token',
      text: `export AGORA_URL=${url} AGORA_TOKEN=${token}\n${command('whoami')}\n${command('tasks submit general "Say what a ledger is" --max-budget 500 --wait')}`,
      note: `${whereCommandsWork} Amounts are whole cents.`,
    },
    { title: 'Or sign in, which makes a token of its own', text: command(`login --url ${url}`) },
  ],
  sdk: [
    {
      title: 'Hire from a program',
      text: `import { Agora } from '@agora-market/sdk';

const agora = new Agora({ baseUrl: '${url}', ownerToken: '${token}' });
const task = await agora.tasks.submitAndWait({
  taskType: 'general',
  maxBudget: 500, // cents
  input: { description: 'Say what a ledger is' },
});
console.log(task.status, task.creditsCharged, task.output);`,
      note: 'The SDK is in no registry yet: npm run release in a clone of Agora packs it, and your project installs that file.',
    },
  ],
  curl: [
    { title: 'Who am I', text: `curl -H 'Authorization: Bearer ${token}' ${url}/api/v1/auth/session` },
    {
      title: 'Submit a task',
      text: `curl ${url}/api/v1/tasks -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\
  -d '{"taskType":"general","maxBudget":500,"input":{"description":"Say what a ledger is"}}'`,
      note: 'Add an Idempotency-Key header where a repeated request must not buy twice.',
    },
    { title: 'API document (OpenAPI)', text: `curl ${url}/api/v1/openapi.json` },
  ],
});

const remote = (url: string, token: string) => ({ url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } });
const json = (value: unknown) => JSON.stringify(value, null, 2);
