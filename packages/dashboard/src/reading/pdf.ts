import type { PdfAnswers } from './pdf-worker.ts';
import { openReaderOf, type Reader, useOpened } from './reader.ts';

/** The program comes first, which is half a megabyte. What takes a page longer than this was made to. */
const answerMs = 30_000;

const openPdfReader = () =>
  openReaderOf<PdfAnswers>(new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' }), answerMs);

/** A reader of one PDF for as long as it is shown; null before it is. */
export const usePdfReader = (): Reader<PdfAnswers> | null => useOpened(openPdfReader);
