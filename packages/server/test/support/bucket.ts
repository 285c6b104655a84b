import { createEmulator } from 'emulate';

/** An S3-compatible store that others wrote, in memory, with the bucket `agora`. It takes any credentials. */
export const startBucket = () =>
  createEmulator({ service: 'aws', port: 0, seed: { aws: { s3: { buckets: [{ name: 'agora' }] } } } });
