import { join } from 'node:path';
import type { Clock, Config } from '../platform/index.ts';
import { directoryStore } from './directory.ts';
import { type ObjectStore, reporting } from './store.ts';

export {
  DamagedObject,
  failStore,
  keyOf,
  type ObjectKind,
  type ObjectStore,
  openVerified,
  readWhole,
  sha256Of,
  storeFailed,
  storeOf,
  wholeOf,
} from './store.ts';

/** The store of the settings: a bucket where one is named, else a directory of the installation. */
export async function openObjectStore(config: Config, clock: Clock): Promise<ObjectStore> {
  const {
    S3_BUCKET,
    S3_ENDPOINT,
    S3_REGION,
    S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY,
    S3_PREFIX,
    S3_SSE,
    S3_SSE_KMS_KEY_ID,
  } = config;
  if (S3_BUCKET === undefined) return reporting(await directoryStore(join(config.AGORA_DATA_DIR, 'objects'), clock));
  // Loaded only where it is used: the client is large.
  const { s3Store } = await import('./s3.ts');
  const given = S3_ACCESS_KEY_ID !== undefined && S3_SECRET_ACCESS_KEY !== undefined;
  const store = await s3Store({
    bucket: S3_BUCKET,
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    credentials: given ? { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY } : undefined,
    prefix: S3_PREFIX,
    encryption: S3_SSE && { ServerSideEncryption: S3_SSE, SSEKMSKeyId: S3_SSE_KMS_KEY_ID },
  });
  return reporting(store);
}
