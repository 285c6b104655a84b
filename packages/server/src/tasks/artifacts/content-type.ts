import { posix } from 'node:path';

/** Content types by file name, for people and programs that choose what to fetch. The content is not examined. */
const byExtension: Record<string, string> = {
  '.csv': 'text/csv',
  '.css': 'text/css',
  '.diff': 'text/x-diff',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.log': 'text/plain',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.parquet': 'application/vnd.apache.parquet',
  '.patch': 'text/x-diff',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tar': 'application/x-tar',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
};

export const contentTypeOf = (path: string): string =>
  byExtension[posix.extname(path).toLowerCase()] ?? 'application/octet-stream';

/** `attachment` with the name for every client: its plain letters for the old ones, all of it for the others. */
export function contentDisposition(path: string): string {
  const name = posix.basename(path).toWellFormed();
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
