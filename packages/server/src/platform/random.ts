import { randomFillSync } from 'node:crypto';

const numbers = new Uint32Array(1024);
let next = numbers.length;

/**
 * A number from 0 up to 1 that nobody can foretell, not even from all that were drawn before. Chances are shown to the
 * parties of a task, and who could foretell them could choose the moment at which it wins.
 */
export function systemRandom(): number {
  if (next === numbers.length) {
    randomFillSync(numbers);
    next = 0;
  }
  return (numbers[next++] as number) / 2 ** 32;
}
