import type { Body } from '@agora-market/sdk';

/** Files of a task by their path in the workspace. */
export type Files = NonNullable<Body<'tasks.submit'>['input']['files']>;

/** Text as it is, all else in base64. */
export function fileContent(bytes: Buffer): Files[string] {
  const content = bytes.toString('utf8');
  const isText = !content.includes('\0') && Buffer.from(content, 'utf8').equals(bytes);
  return isText ? content : { content: bytes.toString('base64'), encoding: 'base64' };
}
