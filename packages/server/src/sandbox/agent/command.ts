import { BASE_ENVIRONMENT, toolchainPlace } from '../bwrap/launch.ts';
import { type ExecRequest, type InputSource, SandboxError, type SandboxStart } from '../driver.ts';

export const inputOf = (stdin: string | Buffer | InputSource) =>
  typeof stdin === 'function' ? stdin : Buffer.from(stdin);

/** A command as the agent takes it: directory, text, variables. */
export function commandOf(
  { command, cwd, env, isOwn = false }: Pick<ExecRequest, 'command' | 'cwd' | 'env' | 'isOwn'>,
  { layer, toolchains = [] }: SandboxStart,
): string[] {
  const start = { toolchains, layer: isOwn ? undefined : layer };
  return [commandDirectory(cwd), command, ...environment(env, start)];
}

function commandDirectory(cwd = '/workspace'): string {
  return cwd.startsWith('/') ? cwd : `/workspace/${cwd}`;
}

/** Later ones win: the system's, those of toolchains, of the layer, of the request. */
function environment(extra: Record<string, string> = {}, { layer, toolchains = [] }: SandboxStart): string[] {
  for (const name of Object.keys(extra)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new SandboxError('REFUSED', 'The name of an environment variable can contain only letters, digits and _.');
    }
  }
  const variables: Record<string, string> = { ...BASE_ENVIRONMENT };
  const programs = (layer?.programs ?? []).map((directory) => `/workspace/${directory}`);
  for (const each of toolchains) {
    const place = toolchainPlace(each);
    programs.push(...each.programs.map((path) => `${place}/${path}`));
    for (const [name, value] of Object.entries(each.variables)) {
      const added = value.replaceAll('{}', place);
      // Lists of places, as PYTHONPATH is: each toolchain adds its own.
      variables[name] = name in variables && name.endsWith('PATH') ? `${variables[name]}:${added}` : added;
    }
  }
  const PATH = [...programs, BASE_ENVIRONMENT.PATH].join(':');
  return Object.entries({ ...variables, ...layer?.environment, PATH, ...extra }).map(
    ([name, value]) => `${name}=${value}`,
  );
}
