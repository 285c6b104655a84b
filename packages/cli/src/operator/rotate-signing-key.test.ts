import { afterEach, expect, test, vi } from 'vitest';
import { startTestServer } from '../../../server/test/support/harness.ts';
import { rotateSigningKeyCommand } from './rotate-signing-key.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test('rotates on the database of a server at work, and says which key signs', async () => {
  const server = await startTestServer();
  try {
    vi.stubEnv('DATABASE_URL', server.databaseUrl);
    vi.stubEnv('AGORA_DATA_DIR', server.dataDir);
    vi.stubEnv('LOG_LEVEL', 'silent');
    let printed = '';
    vi.spyOn(console, 'log').mockImplementation((line) => {
      printed += line;
    });
    await expect(rotateSigningKeyCommand({ reason: ' ' })).rejects.toThrow(/--reason/);
    const [old] = (await server.client().system.jwks()).keys;
    await rotateSigningKeyCommand({ reason: 'Once a year', by: 'Ada' });
    const [active, retired] = (await server.client().system.jwks()).keys;
    expect(retired).toEqual(old);
    expect(printed).toMatch(new RegExp(`^The key ${active?.kid} signs .* The public key ${old?.kid} stays published`));
  } finally {
    await server.close();
  }
});
