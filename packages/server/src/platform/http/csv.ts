import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

type Cell = string | number | null;

/** Characters that a spreadsheet reads as the start of a formula, also their wide forms from East Asian keyboards. */
const startsFormula = /^[=+\-@\t\r\n＝＋－＠]/;

function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = startsFormula.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One record as RFC 4180 has it. Text that a spreadsheet would run as a formula gets an apostrophe before it. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cell).join(',')}\r\n`;

/**
 * Sends a file in chunks as they are made, each after the client has taken the one before. So a file of any length needs
 * the memory of two chunks. A failure before the first chunk is an ordinary error reply. After it the connection is
 * cut, so that half a file does not look complete.
 */
export async function sendText(
  reply: FastifyReply,
  { contentType, fileName }: { contentType: string; fileName: string },
  chunks: AsyncGenerator<string>,
): Promise<void> {
  const first = await chunks.next();
  async function* all() {
    if (first.done) return;
    yield first.value;
    yield* chunks;
  }
  reply
    .header('content-type', contentType)
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(Readable.from(all()));
}

/** Sends a file of CSV. */
export const sendCsv = (reply: FastifyReply, fileName: string, chunks: AsyncGenerator<string>): Promise<void> =>
  sendText(reply, { contentType: 'text/csv; charset=utf-8; header=present', fileName }, chunks);
