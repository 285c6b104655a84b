import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Interrupted, UsageError } from './failure.ts';

/** Asks on the terminal; the question goes to stderr. Throws where there is no terminal, with the option to use. */
export async function ask(question: string, option: string): Promise<string> {
  return await answer(question, option, process.stderr);
}

/** The same without showing what is typed. */
export async function askSecret(question: string, option: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const said = await answer(question, option, nowhere);
  process.stderr.write('\n');
  return said;
}

async function answer(question: string, option: string, echo: Writable): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError(`There is no terminal to ask on. ${option}`);
  // From here on the terminal shows nothing by itself; before, it would show what is typed at once.
  const lines = createInterface({ input: process.stdin, output: echo, terminal: true });
  if (echo !== process.stderr) process.stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.on('SIGINT', () => reject(new Interrupted()));
      lines.on('close', () => reject(new UsageError(`Nothing was entered. ${option}`)));
      lines.question(echo === process.stderr ? question : '', resolve);
    });
  } finally {
    lines.close();
  }
}

/** One secret from standard input; a line end after it does not count. */
export async function secretFromStdin(option: string): Promise<string> {
  const secret = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (secret === '' || /[\r\n]/.test(secret)) throw new UsageError(`${option} takes one line on standard input.`);
  return secret;
}
