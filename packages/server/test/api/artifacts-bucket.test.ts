import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { afterAll, beforeAll, describe } from 'vitest';
import { caps, describeArtifacts } from './artifacts-scene.ts';
import { serverForFile } from './scene.ts';

describe('artifacts in a bucket', () => {
  let directory = '';
  let store: S3rver;
  const config: Record<string, unknown> = {
    ...caps,
    S3_BUCKET: 'agora',
    S3_PREFIX: 'test/',
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
  };
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agora-s3-'));
    store = new S3rver({
      port: 0,
      silent: true,
      directory,
      configureBuckets: [{ name: 'agora' }],
      allowMismatchedSignatures: true,
    });
    const { port } = (await store.run()) as AddressInfo;
    // Read when the server starts, which is after this.
    config.S3_ENDPOINT = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });
  describeArtifacts(serverForFile({ config }));
});
