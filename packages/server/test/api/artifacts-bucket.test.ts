import { afterAll, beforeAll, describe } from 'vitest';
import { bucketSettings, startBucket } from '../support/bucket.ts';
import { caps, describeArtifacts } from './artifacts-scene.ts';
import { serverForFile } from './scene.ts';

describe('artifacts in a bucket', () => {
  let bucket: Awaited<ReturnType<typeof startBucket>>;
  const config: Record<string, unknown> = {
    ...caps,
    ...bucketSettings,
    S3_PREFIX: 'test/',
  };
  beforeAll(async () => {
    bucket = await startBucket();
    // Read when the server starts, which is after this.
    config.S3_ENDPOINT = bucket.url;
  });
  afterAll(() => bucket.close());
  describeArtifacts(serverForFile({ config }));
});
