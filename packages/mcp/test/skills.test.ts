import { readFileSync } from 'node:fs';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../server/test/support/harness.ts';
import { mcpClient } from './clients.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.close());

test.each(['auto', 'legacy'] as const)(
  'a client is taught to hire, also before it has a credential: %s',
  async (mode) => {
    const client = new SkillsClient(await mcpClient(server, {}, { versionNegotiation: { mode } }));
    const { skills } = await client.list();
    const [skill] = skills;
    expect(skills).toMatchObject([{ uri: 'skill://hire-on-agora/SKILL.md', frontmatter: { name: 'hire-on-agora' } }]);
    const { text, verified } = await client.read(skill as NonNullable<typeof skill>, skill?.uri as string);
    expect(verified).toBe(true);
    expect(text).toBe(readFileSync(new URL('../skills/hire-on-agora/SKILL.md', import.meta.url), 'utf8'));
  },
);
