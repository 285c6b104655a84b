// Loaded into a process before its own program: measures its event loop and its heap when the test asks over a socket.
import { openSync, readFileSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const tickMs = 10;
const collectEveryMs = 200;
const path = process.env.HOSTILE_PROBE;

if (isMainThread && path) {
  // Its children and workers are programs of their own.
  delete process.env.HOSTILE_PROBE;
  delete process.env.NODE_OPTIONS;
  listen(path);
}

function listen(socket) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  let measured = null;
  const server = createServer((peer) => {
    peer.setEncoding('utf8');
    peer.on('error', () => {});
    peer.on('data', (command) => {
      if (command.startsWith('delay')) measured = measureDelay();
      else if (command.startsWith('heap')) measured = measureHeap(collect);
      else {
        peer.end(`${JSON.stringify(measured?.() ?? null)}\n`);
        measured = null;
        return;
      }
      peer.end('{}\n');
    });
  });
  server.unref();
  server.listen(socket);
}

/**
 * How much later than asked for a timer fires, every 10 ms, as `monitorEventLoopDelay` counts it; but never more than
 * the CPU time that this thread has used since. On a machine that others use as well a thread waits for its turn, and
 * that wait is nothing that a request has caused: it counts in `wallMaxMs` alone, which is printed and not judged.
 */
function measureDelay() {
  const cpuMs = threadCpuClock();
  const delays = [];
  const references = [];
  let wallMaxMs = 0;
  let last = { at: performance.now(), cpu: cpuMs() };
  const timer = setInterval(() => {
    const now = { at: performance.now(), cpu: cpuMs() };
    const late = Math.max(0, now.at - last.at - tickMs);
    delays.push(Math.min(late, now.cpu - last.cpu));
    wallMaxMs = Math.max(wallMaxMs, late);
    last = now;
    if (delays.length % ticksPerReference !== 0) return;
    JSON.parse(reference);
    last = { at: performance.now(), cpu: cpuMs() };
    references.push(last.cpu - now.cpu);
  }, tickMs);
  return () => {
    clearInterval(timer);
    const at = (values, share) => values.sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0;
    return { p99Ms: at(delays, 0.99), maxMs: at(delays, 1), wallMaxMs, referenceMs: at(references, 0.9) };
  };
}

/** The same work again and again: on a shared machine a thread's speed doubles and halves from one second to the next. */
const reference = `[${'9007199254740993,'.repeat(10_000)}0]`;
const ticksPerReference = 5;

/** Milliseconds on the CPU, of this thread alone. Elsewhere than on Linux time itself stands in, which is stricter. */
function threadCpuClock() {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  try {
    readFileSync(file);
  } catch {
    return () => performance.now();
  }
  const fd = openSync(file);
  const text = Buffer.alloc(100);
  return () => Number.parseInt(text.toString('latin1', 0, readSync(fd, text, 0, text.length, 0)), 10) / 1e6;
}

/**
 * What is held at the worst moment above what was held at the beginning, garbage apart: it is collected before each
 * look. That takes time of the loop, so delays are measured in another run of the same case.
 */
function measureHeap(collect) {
  const held = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  let most = before;
  const look = () => {
    most = Math.max(most, held());
  };
  const timer = setInterval(look, collectEveryMs);
  return () => {
    clearInterval(timer);
    look();
    return { heapBytes: most - before };
  };
}
