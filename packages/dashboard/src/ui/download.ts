/** Gives the browser a file to save, made of what the page has, or has fetched with its session. */
export function saveFile(name: string, type: string, parts: readonly BlobPart[]): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = address;
  // The name of a stranger's file may be a path.
  link.download = name.split('/').at(-1) || 'file';
  link.click();
  // After the browser has taken it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** All of a streamed reply. `tell` hears how much has come: letters of a text, bytes of others. */
export async function collect<T extends string | Uint8Array>(
  chunks: AsyncIterable<T>,
  tell?: (size: number) => void,
): Promise<T[]> {
  const all: T[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    all.push(chunk);
    size += chunk.length;
    tell?.(size);
  }
  return all;
}

/** The content of a reply. `tell` hears how many bytes have come. */
export async function contentOf({ body }: Response, tell: (size: number) => void): Promise<Blob> {
  return new Blob(body ? await collect(chunksOf(body), tell) : []);
}

/** Safari has no iterator of a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
