import { BASE_ENVIRONMENT } from '../bwrap/launch.ts';
import { type ExecRequest, type InputSource, SandboxError } from '../driver.ts';

export const inputOf = (stdin: string | Buffer | InputSource) =>
  typeof stdin === 'function' ? stdin : Buffer.from(stdin);

/** A command as the agent takes it: directory, text, variables. `programs`: a directory in the workspace to look in first. */
export function commandOf(
  { command, cwd, env }: Pick<ExecRequest, 'command' | 'cwd' | 'env'>,
  programs: string | null,
): string[] {
  return [commandDirectory(cwd), command, ...environment(env, programs)];
}

function commandDirectory(cwd = '/workspace'): string {
  return cwd.startsWith('/') ? cwd : `/workspace/${cwd}`;
}

function environment(extra: Record<string, string> = {}, programs: string | null): string[] {
  for (const name of Object.keys(extra)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new SandboxError('REFUSED', 'The name of an environment variable can contain only letters, digits and _.');
    }
  }
  const first = programs === null ? {} : { PATH: `/workspace/${programs}:${BASE_ENVIRONMENT.PATH}` };
  return Object.entries({ ...BASE_ENVIRONMENT, ...first, ...extra }).map(([name, value]) => `${name}=${value}`);
}
