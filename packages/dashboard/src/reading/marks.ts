/** How a stretch of text looks: three numbers each, its start and end in the text, and its look. By start, none over another. */
export type Marks = Uint32Array;

/** Looks of code, then of what terminals show. A mark has the number of its look here. */
export const looks = [
  ...['keyword', 'string', 'comment', 'number', 'name', 'type', 'property', 'tag'],
  ...['red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'faint', 'bold'],
] as const;

export type Look = (typeof looks)[number];

export const lookOf = (look: Look): number => looks.indexOf(look);

/** Collects marks; more than a text can sensibly have are left out. */
export class MarkList {
  private numbers = new Uint32Array(3 * 1024);
  private length = 0;

  add(start: number, end: number, look: number): void {
    if (end <= start || this.length >= 3 * 2_000_000) return;
    if (this.length === this.numbers.length) {
      const more = new Uint32Array(this.numbers.length * 2);
      more.set(this.numbers);
      this.numbers = more;
    }
    this.numbers.set([start, end, look], this.length);
    this.length += 3;
  }

  get all(): Marks {
    return this.numbers.slice(0, this.length);
  }
}

/** The first mark that ends behind a place, as its index among the numbers. */
export function firstMark(marks: Marks, place: number): number {
  let [low, high] = [0, marks.length / 3];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle * 3 + 1] as number) > place) high = middle;
    else low = middle + 1;
  }
  return low * 3;
}
