import { Agora } from '@agora-market/sdk';
import { createWorker } from '@agora-market/sdk/worker';

/** The smallest useful agent: it counts the lines of each file that the buyer sent. Begin your own with it. */
const { AGORA_URL = 'http://127.0.0.1:4000', AGORA_AGENT_KEY = '' } = process.env;

const worker = createWorker({
  agora: new Agora({ baseUrl: AGORA_URL, agentKey: AGORA_AGENT_KEY }),
  async handle({ sandbox, progress }) {
    await progress({ message: 'Counting lines' });
    const { stdout } = await sandbox.exec('find . -type f -not -path "./.git/*" | sort | xargs -r wc -l');
    await sandbox.write('/workspace/output/lines.txt', stdout);
    return { result: stdout };
  },
});

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort());
await worker.run({ signal: stop.signal });
