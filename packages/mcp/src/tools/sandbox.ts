import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { wrongArgument } from '../refusal.ts';
import { endsOf, pieceOf } from '../size.ts';
import { defineTool, fieldsOf, patienceMs, replyOf, type Told, type ToolContext } from '../tool.ts';

const { command, ...execFields } = fieldsOf('sandbox.exec');
const { processId } = fieldsOf('sandbox.processOutput');

const lines = z.int().min(1).max(10_000).optional();

const ran = replyOf('sandbox.exec').shape.data;

const runInput = z.strictObject({
  ...execFields,
  command: command.optional(),
  head: lines.meta({ description: 'Show so many lines from the beginning' }),
  tail: lines.meta({ description: 'Show so many lines from the end' }),
  background: z.boolean().optional().meta({ description: 'Answer at once with a processId, for what takes minutes' }),
  processId: processId.optional().meta({ description: 'Instead of command: wait for that process, up to 50 s' }),
  kill: z.boolean().optional().meta({ description: 'With processId: end it' }),
});
type RunArgs = z.output<typeof runInput>;

export const runInSandbox = defineTool({
  name: 'run_in_sandbox',
  title: 'Run a command in the sandbox',
  purpose:
    'Run a shell command in the sandbox of your started task, which has no network. For one file use read_sandbox_file or write_sandbox_file.',
  effect: 'replacesEachTime',
  openWorld: false,
  uses: ['sandbox.exec', 'sandbox.startProcess', 'sandbox.processOutput', 'sandbox.killProcess', 'sandbox.write'],
  input: runInput,
  output: ran.extend({ exitCode: ran.shape.exitCode.nullable(), processId: processId.optional() }),
  async call(args, context) {
    if (args.processId !== undefined) return followed(args, args.processId, context);
    if (args.background) return begunTold(await begin(args, context));
    const body = bodyOf(args);
    // With a client that gives up, the command ends.
    const timeoutMs = body.timeoutMs ?? (context.showsProgress ? undefined : patienceMs);
    const { data } = await context.agora.sandbox.exec(args.taskId, { ...body, timeoutMs }, context.options);
    return outputTold(data, args, context);
  },
  asTask: {
    async begin(args, context) {
      const isBegun = args.background && args.processId === undefined;
      return isBegun ? [args.taskId, await begin(args, context)] : null;
    },
    async look([taskId = '', id = ''], context) {
      const output = await outputOf(taskId, id, context);
      if (output.running) return { state: `running for ${Math.round(output.durationMs / 1000)} s` };
      return { ended: output.killed ? null : await outputTold(output, { taskId }, context) };
    },
    async cancel([taskId = '', id = ''], { agora, options }) {
      await agora.sandbox.killProcess(taskId, id, options);
    },
  },
});

/** What is to be run, without what only this tool knows. */
function bodyOf({
  command: text,
  taskId: _task,
  head: _first,
  tail: _last,
  background: _is,
  processId: _of,
  kill: _end,
  ...body
}: RunArgs) {
  if (text === undefined) throw wrongArgument('command', 'is needed, or else processId');
  return { ...body, command: text };
}

/** Each look counts in the agent's rate limit. */
const lookEveryMs = 2_000;

type Output = Omit<z.output<typeof ran>, 'exitCode'> & { exitCode: number | null; processId?: string };
type Lines = Pick<RunArgs, 'taskId' | 'head' | 'tail'>;

async function begin(args: RunArgs, { agora, options }: ToolContext): Promise<string> {
  const { stdin, timeoutMs, ...body } = bodyOf(args);
  const unfit = (stdin !== undefined && 'stdin') || (timeoutMs !== undefined && 'timeoutMs');
  if (unfit) throw wrongArgument(unfit, 'does not go with background; leave it out');
  const { data } = await agora.sandbox.startProcess(args.taskId, body, options);
  return data.processId;
}

const begunTold = (id: string): Told => ({
  data: { ...none, processId: id },
  text: `It runs as ${id}. Call run_in_sandbox with this processId to see its output and wait for its end.`,
});

const none = { exitCode: null, stdout: '', stderr: '', durationMs: 0, timedOut: false, truncated: false };

/** Waits for the end of a background process. */
async function followed(args: RunArgs, id: string, context: ToolContext): Promise<Told> {
  const { agora, options } = context;
  const { taskId, kill } = args;
  if (kill) await agora.sandbox.killProcess(taskId, id, options);
  const until = performance.now() + patienceMs;
  for (;;) {
    const output = await outputOf(taskId, id, context);
    if (!output.running || performance.now() >= until) return outputTold(output, args, context);
    await delay(lookEveryMs, undefined, options.signal && { signal: options.signal });
  }
}

/** A background process with what it wrote; stdout and stderr come as one, in order of arrival. */
async function outputOf(taskId: string, id: string, { agora, options }: ToolContext) {
  const { data } = await agora.sandbox.processOutput(taskId, id, {}, options);
  const { state, exitCode, durationMs, killed } = data.process;
  const told = { ...none, exitCode, durationMs, stdout: data.content, truncated: data.from > 0, processId: id };
  return { ...told, running: state === 'running', killed };
}

async function outputTold(output: Output, { taskId, head, tail }: Lines, context: ToolContext): Promise<Told> {
  const chosen = { stdout: linesOf(output.stdout, head, tail), stderr: linesOf(output.stderr, head, tail) };
  const stderr = endsOf(chosen.stderr, 1 / 3);
  const stdout = endsOf(chosen.stdout, 2 / 3);
  const isCut = stdout !== output.stdout || stderr !== output.stderr;
  const saved = isCut && output.exitCode !== null ? await save(taskId, output, context) : null;
  const words = [
    endWords(output),
    stdout && `stdout:\n${stdout}`,
    stderr && `stderr:\n${stderr}`,
    saved && `${saved}: read_sandbox_file with offset and limit, or grep.`,
  ];
  const { exitCode, durationMs, timedOut, truncated, processId: id } = output;
  const data = {
    exitCode,
    stdout,
    stderr,
    durationMs,
    timedOut,
    truncated,
    ...(id !== undefined && { processId: id }),
  };
  return { data, text: words.filter(Boolean).join('\n'), pieces: ['stdout', 'stderr'] };
}

function endWords({ timedOut, exitCode, processId: id }: Output): string {
  if (timedOut) return 'The time was up, and the command was ended. For more give timeoutMs, or background: true.';
  if (exitCode !== null) return `Exit code ${exitCode}.`;
  return `It still runs. Call again with processId "${id}".`;
}

/** Lines from the beginning and the end, if only those are wanted. */
function linesOf(text: string, head: number | undefined, tail: number | undefined): string {
  if (head === undefined && tail === undefined) return text;
  const all = text.replace(/\n$/, '').split('\n');
  if (all.length <= (head ?? 0) + (tail ?? 0)) return text;
  const [first, last] = [all.slice(0, head ?? 0), tail === undefined ? [] : all.slice(-tail)];
  return [...first, `… ${all.length - first.length - last.length} lines are left out here …`, ...last].join('\n');
}

/** What one file may hold, below the limit of a request's body. */
const savedChars = 400_000;

/** Keeps an output that could not be shown, so that the command need not run again, and says where. Without room it is lost. */
async function save(
  taskId: string,
  { stdout, stderr }: Output,
  { agora, options }: ToolContext,
): Promise<string | null> {
  const path = `/tmp/output-${randomUUID()}.txt`;
  const all = [stdout, stderr].filter(Boolean).join('\n--- stderr ---\n');
  const content = all.slice(0, savedChars).toWellFormed();
  const stored = await agora.sandbox.write(taskId, { path, content }, options).catch(() => null);
  return stored && `${all.length > savedChars ? `The first ${savedChars} characters are` : 'All of it is'} in ${path}`;
}

const read = replyOf('sandbox.read').shape.data;

export const readSandboxFile = defineTool({
  name: 'read_sandbox_file',
  title: 'Read a file in the sandbox',
  purpose: 'Read one file of the sandbox, or some of its lines. To list or search files use run_in_sandbox.',
  effect: 'reads',
  openWorld: true,
  uses: ['sandbox.read'],
  input: z.strictObject({
    ...fieldsOf('sandbox.read'),
    offset: z.int().min(1).default(1).meta({ description: 'The first line; lines count from 1' }),
    limit: z.int().min(1).optional().meta({ description: 'Lines at most. Default: as many as fit' }),
  }),
  output: read.extend({ lines: z.object({ from: z.int(), to: z.int(), of: z.int() }), nextOffset: z.int().nullable() }),
  async call({ taskId, path, offset, limit }, { agora, options }) {
    const { data } = await agora.sandbox.read(taskId, { path }, options);
    const all = data.content.split('\n');
    const wanted = all.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
    const content = wholeLines(wanted);
    const shown = content === '' && wanted.length === 0 ? 0 : content.split('\n').length;
    const to = offset - 1 + shown;
    const isLineCut = shown > 0 && content.length < wanted.slice(0, shown).join('\n').length;
    const nextOffset = to < all.length ? to + 1 : null;
    const notes = [
      isLineCut && `Line ${to} is longer than this; see the rest with run_in_sandbox and cut -c.`,
      nextOffset !== null && `Lines ${offset} to ${to} of ${all.length}. Read on with offset ${nextOffset}.`,
      data.truncated &&
        `Only the first part of ${data.sizeBytes} bytes can be read so; see the rest with run_in_sandbox.`,
    ];
    return {
      data: {
        ...data,
        content,
        lines: { from: offset, to, of: all.length },
        nextOffset,
        ...(isLineCut && { cut: ['content'] }),
      },
      text: [content, ...notes.filter(Boolean)].join('\n'),
      pieces: ['content'],
      whole: `agora://tasks/${taskId}/sandbox/${path.replace(/^\//, '')}`,
    };
  },
});

/** As many whole lines as fit; of a longer first line its beginning. */
function wholeLines(wanted: string[]): string {
  const text = wanted.join('\n');
  const begun = pieceOf(text);
  if (begun.length === text.length) return text;
  const end = begun.lastIndexOf('\n');
  return end === -1 ? begun : begun.slice(0, end);
}

export const writeSandboxFile = defineTool({
  name: 'write_sandbox_file',
  title: 'Write a file in the sandbox',
  purpose:
    'Write or replace one file of the sandbox, with its directories. To move, delete or patch use run_in_sandbox.',
  effect: 'replaces',
  openWorld: false,
  uses: ['sandbox.write'],
  input: z.strictObject(fieldsOf('sandbox.write')),
  output: replyOf('sandbox.write').shape.data,
  async call({ taskId, ...body }, { agora, options }) {
    const { data } = await agora.sandbox.write(taskId, body, options);
    return { data, text: `Wrote ${data.sizeBytes} bytes to ${data.path}.` };
  },
});
