import type { ExecResult, Sandbox } from '../../sandbox/index.ts';
import { type CheckSandbox, inCheckSandbox, isEvidence, lacksTool, untouched } from '../sandboxes/check-sandbox.ts';

/** Words of a shell, and programs that start another program: the name that counts comes after them. */
const leading =
  /^(?:[!{]|if|then|while|until|do|exec|command|env|time|nice|nohup|timeout|delivered|-.*|\w+=.*|[\d.]+[smhd]?)$/;
/** A bare name, or a path of the sandbox itself. A path in the workspace is the work. */
const toolName = /^(?:[A-Za-z0-9][\w.+-]{0,60}|\/(?!workspace\/)[\w.+/-]{1,200})$/;
/** A command after `||` or `else` runs only if something else failed, so its absence is not the reason. */
const otherwise = /\|\||\b(?:else|elif)\b/;

/** Also matches a quote that is never closed. Otherwise a failure at the end would be retried from each quote. */
const quoted = /'[^']*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)/g;

/** The tools that a command may start by name. Quoted text and arguments start nothing. */
function toolsOf(command: string): string[] {
  // Where a command looks for its programs in places of its own, one of them may be the work.
  if (/\bPATH=/.test(command)) return [];
  const bare = command.replace(quoted, '""').split(otherwise)[0]!;
  const started = bare
    .split(/[;&|()`\n]+/)
    .map((part) => part.split(/\s+/).find((word) => word && !leading.test(word)));
  return [...new Set(started.filter((word) => word !== undefined).filter((word) => toolName.test(word)))];
}

const notFound = 127;
const complains = ({ exitCode, stderr }: ExecResult, tool: string) =>
  exitCode === notFound && stderr.slice(-5000).includes(tool);

/**
 * The tool that the sandbox lacks, if that is why a check failed: the same command must fail for it over the buyer's
 * untouched files too, in a sandbox where nothing that was delivered has ever run. Else a delivered program could feign it.
 */
export async function missingTool(
  setup: CheckSandbox,
  command: string,
  result: ExecResult,
  run: (sandbox: Sandbox, over: CheckSandbox) => Promise<ExecResult>,
): Promise<string | null> {
  const named = toolsOf(command).filter((tool) => complains(result, tool));
  if (named.length === 0) return null;
  const before = { ...untouched(setup), name: `${setup.name} before` };
  try {
    return await inCheckSandbox(before, async (sandbox) => {
      for (const tool of named) {
        if (!(await lacksTool(sandbox, tool))) continue;
        // Asked before the run, because the buyer's own files could install the tool.
        return complains(await run(sandbox, before), tool) ? tool : null;
      }
      return null;
    });
  } catch (error) {
    if (!isEvidence(error)) throw error;
    return null;
  }
}
