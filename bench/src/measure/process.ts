import { type ChildProcess, spawn } from 'node:child_process';

/** A server of ours that runs as its own process and says where it listens. */
export interface ServerProcess {
  child: ChildProcess;
  pid: number;
  port: number;
  /** From spawn to the line that says it is ready. */
  readyMs: number;
  stop(): Promise<void>;
}

const readyTimeoutMs = 60_000;

export function startServer(
  args: string[],
  env: Record<string, string>,
  stderr: 'inherit' | 'ignore' = 'inherit',
): Promise<ServerProcess> {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, DEMO_AGENT: 'off', ...env },
    stdio: ['ignore', 'pipe', stderr],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // A bench that fails must not leave servers behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', kill);
  };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      kill();
      reject(new Error(`${args[0]} was not ready in time`));
    }, readyTimeoutMs);
    let output = '';
    let ready = false;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      // Anything that a server logs once it is ready is a problem, and the person who runs the bench must see how it
      // began.
      if (ready && output.length < 2000) process.stderr.write(text.slice(0, 2000));
      output += text;
      const port = /ready on http:\/\/[^:]+:(\d+)/.exec(output)?.[1];
      if (ready || port === undefined) return;
      ready = true;
      output = '';
      clearTimeout(timer);
      resolve({ child, pid: child.pid as number, port: Number(port), readyMs: performance.now() - started, stop });
    });
    child.once('exit', (code) =>
      reject(new Error(`${args.join(' ')} ended with ${code} before it was ready\n${output}`)),
    );
  });
}
