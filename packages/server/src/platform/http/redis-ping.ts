const answerMs = 5_000;

/** Asks a Redis or Valkey once; gives the version that it tells. Rejects where it does not answer or refuses. */
export async function pingRedis(url: string): Promise<string> {
  const { openRedis } = await import('./redis-client.ts');
  const client = openRedis(url, { connectMs: answerMs, commandMs: answerMs, again: () => null });
  let failure: Error | null = null;
  client.on('error', (error) => {
    failure = error;
  });
  try {
    await client.connect();
    await client.ping();
    return /^(?:valkey|redis)_version:(\S+)/m.exec(await client.info('server'))?.[1] ?? 'of an unknown version';
  } catch (error) {
    // The connection's own error says what happened; the command's only that there is no connection.
    throw failure ?? error;
  } finally {
    client.disconnect();
  }
}
