import { resolve } from 'node:path';
import { type Config, readConfig } from '@agora-market/server/platform';
import { type RunningServer, serve } from '@agora-market/server/serve';
import { startDemoAgent, wantsDemoAgent } from '../demo-agent/index.ts';
import { closeAtEnd } from '../grace.ts';

/** Serves until SIGTERM or SIGINT; requests under way are finished first. */
export async function serveCommand(): Promise<void> {
  const config = readConfig();
  const running = await serve(config);
  const demo = wantsDemoAgent(config)
    ? startDemoAgent({ url: running.url, config }, (line) => console.error(line))
    : null;
  closeAtEnd(20_000, async () => {
    await demo?.stop();
    await running.close();
  });
  console.log(`agora ready on ${running.url}`);
  // Programs that start the service read the line above, and also collect JSON.
  if (process.stdout.isTTY) await tellMore(config, running);
}

/** Information for a person who has just started it. */
async function tellMore(config: Config, { url, sandboxState, hasJudge }: RunningServer): Promise<void> {
  const { driver, available, detail, isWorthAWarning } = await sandboxState();
  const told = isWorthAWarning ? 'see the warning above' : detail;
  const sandboxes = `${available ? driver : 'none'}, ${told}`;
  console.log(`  API       ${url}/docs`);
  console.log(
    `  data      ${resolve(config.AGORA_DATA_DIR)}${config.DATABASE_URL ? ' and the database of DATABASE_URL' : ''}`,
  );
  console.log(`  sandboxes ${sandboxes}`);
  console.log(`  judge     ${hasJudge ? config.JUDGE_MODEL : 'none, see the warning above'}`);
  if (wantsDemoAgent(config))
    console.log('  demo      the agent "Agora demo agent" does small tasks, see docs/configuration.md');
  console.log('  stop      Ctrl-C');
}
