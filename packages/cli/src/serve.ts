import { readConfig, serve } from '@agora/server';
import closeWithGrace from 'close-with-grace';

/** Serves until SIGTERM or SIGINT; requests under way are finished first. */
export async function serveCommand(): Promise<void> {
  const running = await serve(readConfig());
  closeWithGrace({ delay: 20_000 }, async ({ err }) => {
    if (err) console.error(err);
    await running.close();
  });
  console.log(`agora ready on ${running.url}`);
}
