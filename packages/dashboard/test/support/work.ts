import { crc32, deflateSync } from 'node:zlib';
import type { Body } from '@agora-market/sdk';
import type { TaskHandler } from '@agora-market/sdk/worker';
import type { TestOwner } from '../../../server/test/support/harness.ts';
import { pdfOf } from './pdf.ts';
import type { Scene } from './scene.ts';

/** A delivery with something of everything: changes of all kinds, and texts of all kinds. */

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** A square of one colour. */
export function png(red: number, green: number, blue: number, side = 64): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([
    Buffer.from([0]),
    Buffer.from(Array.from({ length: side }, () => [red, green, blue]).flat()),
  ]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

const cart = (rule: string) => `import { money } from './money.js';

/** The items of a cart, and what they come to. */
export class Cart {
  #items = [];

  add(item, count = 1) {
    this.#items.push({ item, count });
    return this;
  }

  total() {
    ${rule}
  }
}

export const empty = () => new Cart();
`;
const oldRule = 'return this.#items.reduce((sum, { item }) => sum + item.price, 0); // each once';
const newRule = `const cents = this.#items.reduce((sum, { item, count }) => sum + item.price * count, 0);
    return money(cents, 'EUR');`;

const files = {
  'src/cart.js': cart(oldRule),
  'src/legacy/rounding.js': 'export const round = (value) => Math.round(value);\n',
  'src/legacy/unused.js': 'export const never = true;\n',
  'assets/note.txt': 'A note that only moves from one place to another, word by word.\n',
  'config/settings.yaml': 'currency: USD\nlocale: en\n',
  'web/apple.png': { content: png(180, 40, 40).toString('base64'), encoding: 'base64' as const },
};

export const story = `# The cart counts

\`total()\` now takes the **count** of each item.

1. \`src/cart.js\` multiplies by the count
2. \`src/money.js\` is new

| case | before | after |
| --- | ---: | ---: |
| two apples | 1.00 | 2.00 |

- [x] tests pass
- [ ] prices in other currencies

\`\`\`js
const total = new Cart().add(apple, 2).total();
\`\`\`

See [the standard](https://example.com/iso-4217) and ![a chart](https://example.com/chart.png).
`;

export const report = Array.from({ length: 1_234 }, (_, nth) => ({
  test: `case ${nth}`,
  passed: nth % 7 !== 0,
  ms: nth * 3,
}));
const nested = {
  summary: { passed: 1_057, failed: 177 },
  'by file': { 'cart.test.js': ['total', 'add', { deep: { needle: 'found me' } }] },
};
const log = '\u001b[32m✓\u001b[0m total counts\n\u001b[1;31m✗ other currencies\u001b[0m\n  10%\r 100%\nend\n';
const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"><rect width="120" height="60" fill="#0b6e63"/></svg>';

const pages = ['The cart counts', 'What was measured', 'What is left'].map((title) => [title, 'two apples: 2.00']);

/** Changes the cart, and leaves a report in every form. */
const handle: TaskHandler = async ({ sandbox }) => {
  const change = await sandbox.exec(
    'mkdir -p notes && mv assets/note.txt notes/moved.txt && rm src/legacy/unused.js && chmod +x src/legacy/rounding.js',
  );
  if (change.exitCode !== 0) throw new Error('The files cannot be moved.');
  await sandbox.write('src/cart.js', cart(newRule));
  await sandbox.write(
    'src/money.js',
    "export const money = (cents, currency) => (cents / 100).toFixed(2) + ' ' + currency;\n",
  );
  await sandbox.write('config/settings.yaml', 'currency: EUR\nlocale: en\nrounding: up\n');
  await sandbox.write('web/apple.png', png(60, 140, 60, 96).toString('base64'), { encoding: 'base64' });
  await sandbox.write('web/pear.png', png(190, 190, 60).toString('base64'), { encoding: 'base64' });
  await sandbox.write('output/report.json', JSON.stringify(report));
  await sandbox.write('output/nested.json', JSON.stringify(nested));
  await sandbox.write('output/run.log', log);
  await sandbox.write('output/chart.svg', drawing);
  await sandbox.write('output/apple.png', png(40, 140, 60).toString('base64'), { encoding: 'base64' });
  await sandbox.write('output/summary.pdf', pdfOf(pages));
  await sandbox.write('output/helper.py', 'def twice(value):\n    """Two of it."""\n    return value * 2\n');
  return { result: story };
};

/** A buyer with a task that is done. */
export async function doneWork(scene: Scene, more: Partial<Body<'tasks.submit'>> = {}) {
  const owner: TestOwner = await scene.server.owner();
  const agent = await scene.workingAgent({ fields: { displayName: 'Cart mender' }, handle });
  const input = { description: 'The total of a cart ignores how many of an item are in it', files };
  const { id } = await owner.agora.tasks.submit({
    taskType: 'general',
    agentId: agent.id,
    maxBudget: 1_000,
    input,
    ...more,
  });
  const { status } = await owner.agora.tasks.wait(id, { waitMs: 60_000 });
  if (status !== 'completed') throw new Error(`The task is ${status}.`);
  return { owner, id };
}
