// A server with the two faults that the suite is there to find, for the suite's own test.
import { createServer } from 'node:http';

const digits = '1'.repeat(40_000);
let json = '[';
while (json.length < 24 * 1024 ** 2) json += '{"a":[1,2,3,{"b":"c"}],"d":null},';
json += '0]';
const kept = [];

const faults = {
  '/quadratic': () => /(\d+)$/.exec(`${digits}x`),
  '/parse': () => JSON.parse(json),
  '/keep': () => kept.push(Buffer.alloc(100 * 1024 ** 2, 1)),
  '/nothing': () => null,
};

const server = createServer((request, response) => {
  faults[request.url]?.();
  response.end('done');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
