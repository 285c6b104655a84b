import { type Sandbox, SandboxError } from '../sandbox/index.ts';

/** Programs that tasks ask for by name, and how each tells its version. The first number that it prints is it. */
export const versionCommands: Readonly<Record<string, string>> = {
  node: 'node --version',
  python: 'python3 --version',
  pip: 'pip3 --version',
  pytest: 'python3 -m pytest --version',
  git: 'git --version',
  make: 'make --version',
  c: 'cc -dumpfullversion -dumpversion',
  go: 'go version',
  rust: 'rustc --version',
  java: 'javac -version',
  ruby: 'ruby --version',
  bundler: 'bundle --version',
  php: 'php --version',
  composer: 'composer --version --no-ansi',
};

/** Those without which the tests of many projects cannot run. */
export const toolsOfProjects = ['node', 'python', 'pytest', 'git', 'make', 'c', 'go', 'rust', 'java'] as const;

/** What a project's own files want, by their names at its root. */
export const toolsByFile: Readonly<Record<string, string>> = {
  'go.mod': 'go',
  'Cargo.toml': 'rust',
  'pom.xml': 'java',
  'build.gradle': 'java',
  'build.gradle.kts': 'java',
  'pyproject.toml': 'pytest',
  'setup.py': 'pytest',
  'requirements.txt': 'pytest',
  Gemfile: 'ruby',
  'composer.json': 'php',
};

export interface Tool {
  name: string;
  version: string;
}

/** Starting a Java compiler beside other work takes seconds. */
const askMs = 60_000;

/** What a sandbox has without being asked, by running each. */
export async function toolsIn(sandbox: Sandbox, names = Object.keys(versionCommands)): Promise<Tool[]> {
  const asked = names.map((name) => `echo ${name} "$(${versionCommands[name]} 2>&1 | head -n 1)"`).join('; ');
  const { stdout, timedOut } = await sandbox.exec({ command: asked, timeoutMs: askMs, isOwn: true });
  if (timedOut)
    throw new SandboxError('SANDBOX_UNAVAILABLE', 'The tools of sandboxes could not be asked in time. Try again.');
  return stdout.split('\n').flatMap((line) => {
    const isThere = !/not found|No module/.test(line);
    const [, name, version] = (isThere && /^(\w+) .*?(?<![\d.])(\d+(?:\.\d+)*)/.exec(line)) || [];
    return name !== undefined && version !== undefined ? [{ name, version }] : [];
  });
}
