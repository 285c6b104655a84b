import { spawn } from 'node:child_process';

/** Runs a program of this machine; what it prints on standard output. Rejects with the end of its complaints. */
export function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, complaint] = ['', ''];
    child.stdout.on('data', (bytes) => {
      out += bytes;
    });
    child.stderr.on('data', (bytes) => {
      complaint = (complaint + bytes).slice(-2_000);
    });
    child.on('error', (error) => reject(new Error(`${program} cannot be run: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${program} ${args[0]} failed (${code}): ${complaint.trim() || 'it says nothing'}`));
    });
  });
}
