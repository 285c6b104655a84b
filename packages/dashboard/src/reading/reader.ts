import { useEffect, useState } from 'react';
import type { Answer, Answers, Question } from './answering.ts';
import type { TextAnswers } from './text-worker.ts';

/** Reads one stranger's file in a thread of its own, which is ended if it takes too long. */
export interface Reader<A extends Answers = TextAnswers> {
  /** No other has it: for keys of what it answers. */
  name: string;
  ask<K extends keyof A & string>(kind: K, ...args: Parameters<A[K]>): Promise<Awaited<ReturnType<A[K]>>>;
  close(): void;
}

/** A browser on a slow machine reads the largest patch in two seconds; what takes longer than this was made to. */
const answerMs = 10_000;

let opened = 0;

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

export const openReader = (limitMs?: number): Reader =>
  openReaderOf<TextAnswers>(new Worker(new URL('./text-worker.ts', import.meta.url), { type: 'module' }), limitMs);

export function openReaderOf<A extends Answers>(worker: Worker, limitMs = answerMs): Reader<A> {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  opened += 1;
  let ended: Error | null = null;
  const end = (reason: string) => {
    ended ??= new Error(reason);
    worker.terminate();
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(ended);
    }
    waiting.clear();
  };
  worker.onerror = () => end('This file cannot be read here. Download it to see it.');
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    const asked = waiting.get(data.id);
    if (asked === undefined) return;
    waiting.delete(data.id);
    clearTimeout(asked.timer);
    if ('error' in data) asked.reject(new Error(data.error));
    else asked.resolve(data.value as never);
  };
  return {
    name: `reader ${opened}`,
    ask: (kind, ...args) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(ended);
          return;
        }
        last += 1;
        const timer = setTimeout(() => end('This file takes too long to read here. Download it to see it.'), limitMs);
        waiting.set(last, { resolve, reject, timer });
        const transfer = args.filter((each) => each instanceof ArrayBuffer);
        worker.postMessage({ id: last, kind, args } satisfies Question, transfer);
      }),
    close: () => end('The page has gone on.'),
  };
}

/** A reader for as long as a part of a page is shown; null before it is. */
export const useReader = (): Reader | null => useOpened(openReader);

/** As `useReader`, of another kind. `open` is the same function each time. */
export function useOpened<A extends Answers>(open: () => Reader<A>): Reader<A> | null {
  const [reader, setReader] = useState<Reader<A> | null>(null);
  useEffect(() => {
    const opened = open();
    setReader(opened);
    return () => opened.close();
  }, [open]);
  return reader;
}
