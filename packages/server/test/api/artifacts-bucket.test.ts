import { afterAll, beforeAll, describe } from 'vitest';
import { startBucket } from '../support/bucket.ts';
import { caps, describeArtifacts } from './artifacts-scene.ts';
import { serverForFile } from './scene.ts';

describe('artifacts in a bucket', () => {
  let bucket: Awaited<ReturnType<typeof startBucket>>;
  const config: Record<string, unknown> = {
    ...caps,
    S3_BUCKET: 'agora',
    S3_PREFIX: 'test/',
    S3_ACCESS_KEY_ID: 'agora',
    S3_SECRET_ACCESS_KEY: 'secret',
  };
  beforeAll(async () => {
    bucket = await startBucket();
    // Read when the server starts, which is after this.
    config.S3_ENDPOINT = bucket.url;
  });
  afterAll(() => bucket.close());
  describeArtifacts(serverForFile({ config }));
});
