import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { checkKey, isKey, type ObjectStore, sha256Of } from './store.ts';

export interface S3Settings {
  bucket: string;
  /** Of a store other than Amazon's. */
  endpoint: string | undefined;
  region: string;
  /** Without them the client looks where Amazon's tools do. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** Before every key, so that several installations can share a bucket. */
  prefix: string;
  /** What the store is asked to encrypt with; undefined for what the bucket is set up for. */
  encryption?: Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'SSEKMSKeyId'> | undefined;
  patience?: Patience;
}

/**
 * How long an upload may take, all tries together. What is uploaded is in memory, and a delivery holds one of few places
 * meanwhile.
 */
interface Patience {
  /** So long nothing of it may go on. */
  idleMs: number;
  /** What is slower is given up. */
  leastBytesPerSecond: number;
  /** For the connection and the answer. */
  answerMs: number;
}

/** A start does not wait longer for a store, nor for PostgreSQL: whatever runs the server starts it again. */
const startMs = 10_000;

const usualPatience: Patience = { idleMs: 20_000, leastBytesPerSecond: 1024 ** 2, answerMs: 40_000 };

/** Objects in a bucket of any S3-compatible store. Writes are atomic there, so nothing is ever unfinished. */
export async function s3Store({
  bucket,
  endpoint,
  region,
  credentials,
  prefix,
  encryption,
  patience = usualPatience,
}: S3Settings): Promise<ObjectStore> {
  const common = {
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Stores other than Amazon's do not know the checksums that the client would add by itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } satisfies S3ClientConfig;
  const connectionTimeout = 5_000;
  const client = new S3Client({
    ...common,
    maxAttempts: 3,
    requestHandler: { connectionTimeout, requestTimeout: 60_000, throwOnRequestTimeout: true, socketTimeout: 60_000 },
  });
  // Uploads have another patience than reads, whose readers may be slow. One more try is for a connection that had just ended.
  const uploads = new S3Client({
    ...common,
    maxAttempts: 2,
    requestHandler: { connectionTimeout, socketTimeout: patience.idleMs },
  });
  // Not HeadBucket, whose refusal has no body and so no reason.
  const look = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 });
  await client
    .send(look, { abortSignal: AbortSignal.timeout(startMs) })
    .catch((error: Error & { $metadata?: { httpStatusCode?: number } }) => {
      const reason =
        error.name === 'AbortError' ? `no answer within ${startMs / 1000} s` : `${error.name}: ${error.message}`;
      const hasAnswered = error.$metadata?.httpStatusCode !== undefined;
      const cure = hasAnswered ? 'Check the settings S3_…' : 'Check S3_ENDPOINT, and that the store runs there';
      throw new Error(
        `The bucket "${bucket}"${endpoint ? ` at ${endpoint}` : ''} cannot be used (${reason}). ${cure}.`,
        {
          cause: error,
        },
      );
    });
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + checkKey(key) });
  return {
    isShared: true,
    async put(key, content, sha256) {
      const command = new PutObjectCommand({ ...at(key), ...encryption, Body: content, ContentLength: content.length });
      const digest = sha256 ?? (await sha256Of(content));
      // The client would compute it on this thread, which a large object holds for seconds.
      command.middlewareStack.add(
        (next) => (args) => {
          (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = digest;
          return next(args);
        },
        { step: 'build' },
      );
      const mostMs = patience.answerMs + Math.ceil((content.length / patience.leastBytesPerSecond) * 1000);
      await uploads.send(command, { abortSignal: AbortSignal.timeout(mostMs) });
    },
    async get(key) {
      try {
        const { Body, ContentLength } = await client.send(new GetObjectCommand(at(key)));
        if (ContentLength === undefined) throw new Error('The answer does not say how long the object is.');
        return { sizeBytes: ContentLength, stream: Body as Readable };
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
    async delete(key) {
      await client.send(new DeleteObjectCommand(at(key)));
    },
    async *list(kind) {
      let token: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}${kind}/`, ContinuationToken: token }),
        );
        for (const { Key = '' } of page.Contents ?? []) {
          const key = Key.slice(prefix.length);
          if (isKey(key)) yield key;
        }
        token = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (token !== undefined);
    },
    tidy: async () => {},
  };
}
