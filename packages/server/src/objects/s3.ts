import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
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
}

/** Objects in a bucket of any S3-compatible store. Writes are atomic there, so nothing is ever unfinished. */
export async function s3Store({
  bucket,
  endpoint,
  region,
  credentials,
  prefix,
  encryption,
}: S3Settings): Promise<ObjectStore> {
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials && { credentials }),
    // Stores other than Amazon's do not know the checksums that the client would add by itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      socketTimeout: 60_000,
    },
  });
  // Not HeadBucket, whose refusal has no body and so no reason.
  await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 })).catch((error: Error) => {
    const reason = `${error.name}: ${error.message}`;
    throw new Error(`The bucket "${bucket}" cannot be used (${reason}). Check the settings S3_….`, { cause: error });
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
      await client.send(command);
    },
    async get(key) {
      try {
        const { Body, ContentLength } = await client.send(new GetObjectCommand(at(key)));
        return { sizeBytes: ContentLength ?? 0, stream: Body as Readable };
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
