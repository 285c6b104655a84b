import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { toUuid } from '../../../contract/src/index.ts';
import { encryption } from '../../../server/src/platform/index.ts';
import { createSecrets } from '../../../server/src/webhooks/secrets.ts';
import { startSecondApp } from '../../../server/test/api/scene.ts';
import { startTestServer } from '../../../server/test/support/harness.ts';
import { rotateEncryptionKeyCommand } from './rotate-encryption-key.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const newKey = 'the new encryption key of this installation';

test('everything that was encrypted is read with the new key alone, once no server runs', async () => {
  const server = await startTestServer();
  const dir = await mkdtemp(join(tmpdir(), 'agora-key-'));
  const newKeyFile = join(dir, 'key');
  await writeFile(newKeyFile, `${newKey}\n`);
  vi.stubEnv('DATABASE_URL', server.databaseUrl);
  vi.stubEnv('AGORA_DATA_DIR', server.dataDir);
  vi.stubEnv('LOG_LEVEL', 'silent');
  let printed = '';
  vi.spyOn(console, 'log').mockImplementation((line) => {
    printed += `${line}\n`;
  });
  const rotate = (fields: object = {}) =>
    rotateEncryptionKeyCommand({ newKeyFile, reason: 'It was seen', by: 'Ada', ...fields });
  try {
    const owner = await server.owner({ credits: 0 });
    const agent = await owner.agent();
    const hook = { url: 'https://agent.invalid/webhook', events: ['task_assigned' as const] };
    const { id, secret: former } = await agent.agora.webhooks.createMine(hook);
    const { secret } = await agent.agora.webhooks.rotateMySecret(id);
    const ownerId = toUuid('owner', owner.id) as string;
    const old = encryption(server.config);
    const token = old.encrypt(old.digest('github token', ownerId), 'github_pat_of_somebody');
    await server.pool.query(
      `insert into forge_connections (owner_id, forge, base_url, token, login, method, connected_at)
       values ($1, 'github', '', $2, 'octocat', 'token', now())`,
      [ownerId, token],
    );
    const registry = { kind: 'npm', url: 'https://npm.example.com', token: 'npm_of_somebody' } as const;
    await owner.agora.packageRegistries.set(registry);
    const { secret: totp } = await owner.agora.auth.beginTotp({ password: 'correct horse' });
    const keys = await server.client().system.jwks();
    await expect(rotate()).rejects.toThrow(/A server is running/);
    await server.app.close();
    await expect(rotate({ reason: ' ' })).rejects.toThrow(/--reason/);
    vi.stubEnv('AGORA_ENCRYPTION_KEY', 'a key that this installation never had');
    await expect(rotate()).rejects.toThrow(/Nothing was changed/);
    vi.stubEnv('AGORA_ENCRYPTION_KEY', '');
    await rotate();
    expect(printed).toMatch(
      /^signingKey: 1 .*\nwebhookSecrets: 2 .*\ngithubTokens: 1 .*\npackageRegistries: 1 .*\ntotpSecrets: 1 encrypted anew\nSet AGORA_/,
    );

    const config = { ...server.config, AGORA_ENCRYPTION_KEY: newKey };
    const { app, url } = await startSecondApp(server, { config });
    try {
      expect(await server.client().withOptions({ baseUrl: url }).system.jwks()).toEqual(keys);
      const { rows } = await app.pool.query('select secret, previous_secret as previous from webhooks');
      const { open } = createSecrets(config);
      const texts = [rows[0].secret, rows[0].previous].map((each) => `whsec_${open(each)?.toString('base64')}`);
      expect(texts).toEqual([secret, former]);
      const [tokens, safe] = [await app.pool.query('select token from forge_connections'), encryption(config)];
      expect(safe.decrypt(safe.digest('github token', ownerId), tokens.rows[0].token)).toBe('github_pat_of_somebody');
      const factors = await app.pool.query('select secret from totp_factors');
      expect(safe.decrypt(safe.digest('totp secret', ownerId), factors.rows[0].secret)).toBe(totp);
      const events = await app.pool.query(`select data from events where type = 'encryption_key.rotated'`);
      expect(events.rows).toMatchObject([{ data: { reason: 'It was seen', by: 'Ada' } }]);
    } finally {
      await app.close();
    }
    vi.stubEnv('AGORA_ENCRYPTION_KEY', newKey);
    await expect(rotate()).rejects.toThrow(/the one in use/);
  } finally {
    await server.close();
    await rm(dir, { recursive: true });
  }
});
