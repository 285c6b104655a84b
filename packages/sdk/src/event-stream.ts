/** One event of a text/event-stream. */
export interface ServerSentEvent {
  /** `message` if the stream names none. */
  event: string;
  data: string;
  /** The last id so far; empty before the first. */
  id: string;
  /** Milliseconds to wait before reconnecting, if the server said so. */
  retryMs: number | null;
}

/**
 * Parses text/event-stream by the HTML standard, wherever chunks are cut. One difference: a named event without data is
 * passed on, because the service's `error` event needs none.
 */
export async function* parseEventStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event = '';
  let data: string[] = [];
  let id = '';
  let retryMs: number | null = null;
  for await (const line of lines(chunks)) {
    if (line === '') {
      if (data.length > 0 || event !== '') yield { event: event || 'message', data: data.join('\n'), id, retryMs };
      event = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }
}

/** Yields complete lines without their ends. Text after the last line end was cut off and is dropped. */
async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // The decoder keeps the bytes of a character that a chunk cut in two, and drops a byte order mark.
  const decoder = new TextDecoder();
  let rest = '';
  let afterReturn = false;
  for await (const chunk of chunks) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    // This line feed belongs to the carriage return that ended the last chunk.
    if (afterReturn && text.startsWith('\n')) text = text.slice(1);
    afterReturn = text === '' ? false : text.endsWith('\r');
    const parts = (rest + text).split(/\r\n|\r|\n/);
    rest = parts.pop() ?? '';
    yield* parts;
  }
}
