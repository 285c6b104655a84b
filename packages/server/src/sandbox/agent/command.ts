import { BASE_ENVIRONMENT } from '../bwrap/launch.ts';
import { type ExecRequest, type InputSource, type Layer, SandboxError } from '../driver.ts';

export const inputOf = (stdin: string | Buffer | InputSource) =>
  typeof stdin === 'function' ? stdin : Buffer.from(stdin);

/** What a sandbox's layer brings for commands. */
type Brings = Pick<Layer, 'programs' | 'environment'>;

/** A command as the agent takes it: directory, text, variables. */
export function commandOf(
  { command, cwd, env }: Pick<ExecRequest, 'command' | 'cwd' | 'env'>,
  layer: Brings | null,
): string[] {
  return [commandDirectory(cwd), command, ...environment(env, layer ?? { programs: [], environment: {} })];
}

function commandDirectory(cwd = '/workspace'): string {
  return cwd.startsWith('/') ? cwd : `/workspace/${cwd}`;
}

function environment(extra: Record<string, string> = {}, layer: Brings): string[] {
  for (const name of Object.keys(extra)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new SandboxError('REFUSED', 'The name of an environment variable can contain only letters, digits and _.');
    }
  }
  const PATH = [...layer.programs.map((directory) => `/workspace/${directory}`), BASE_ENVIRONMENT.PATH].join(':');
  return Object.entries({ ...BASE_ENVIRONMENT, ...layer.environment, PATH, ...extra }).map(
    ([name, value]) => `${name}=${value}`,
  );
}
