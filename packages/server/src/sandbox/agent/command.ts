import { BASE_ENVIRONMENT } from '../bwrap/launch.ts';
import { type ExecRequest, type InputSource, SandboxError } from '../driver.ts';

export const inputOf = (stdin: string | InputSource) => (typeof stdin === 'string' ? Buffer.from(stdin) : stdin);

/** A command as the agent takes it: directory, text, variables. */
export function commandOf({ command, cwd, env }: Pick<ExecRequest, 'command' | 'cwd' | 'env'>): string[] {
  return [commandDirectory(cwd), command, ...environment(env)];
}

function commandDirectory(cwd = '/workspace'): string {
  return cwd.startsWith('/') ? cwd : `/workspace/${cwd}`;
}

function environment(extra: Record<string, string> = {}): string[] {
  for (const name of Object.keys(extra)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new SandboxError('REFUSED', 'The name of an environment variable can contain only letters, digits and _.');
    }
  }
  return Object.entries({ ...BASE_ENVIRONMENT, ...extra }).map(([name, value]) => `${name}=${value}`);
}
