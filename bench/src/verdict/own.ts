import type { Ecosystem } from './ecosystem.ts';

/** Projects of our own, where the registries serve none, and small ones that need no download. */

interface Own {
  name: string;
  ecosystem: Ecosystem;
  command: string;
  files: Record<string, string>;
}

const pythonMakefile = 'test:\n\tpython3 -m unittest discover -s tests -t .\n';
const nodePackage = (type: string, test: string) => `${JSON.stringify({ type, scripts: { test } })}\n`;
const junit = '/usr/share/java/junit4.jar:/usr/share/java/hamcrest.jar';
const javaMakefile = (tests: string) =>
  `test:\n\trm -rf b && mkdir b\n\tjavac -d b -cp ${junit} src/*.java tests/*.java\n\tjava -Xmx128m -cp b:${junit} org.junit.runner.JUnitCore ${tests}\n`;

export const own: readonly Own[] = [
  {
    name: 'own-prices',
    ecosystem: 'python',
    command: 'make -B test',
    files: {
      Makefile: pythonMakefile,
      'prices.py': `"""Prices in whole cents."""


def net(gross, percent):
    """The price before tax."""
    if percent < 0:
        raise ValueError("a tax is never negative")
    return (gross * 100 + (100 + percent) // 2) // (100 + percent)


def discount(total, count):
    """Ten percent from ten pieces on, five from five."""
    if count >= 10:
        return total - total // 10
    if count >= 5:
        return total - total // 20
    return total


def shown(cents):
    sign = "-" if cents < 0 else ""
    return "%s%d.%02d" % (sign, abs(cents) // 100, abs(cents) % 100)


def split(total, parts):
    """Parts that differ by one cent at most and that sum up to the total."""
    each = total // parts
    rest = total - each * parts
    return [each + 1] * rest + [each] * (parts - rest)
`,
      'tests/__init__.py': '',
      'tests/test_net.py': `import unittest
import prices


class Net(unittest.TestCase):
    def test_of_nineteen(self):
        self.assertEqual(prices.net(119, 19), 100)

    def test_rounds(self):
        self.assertEqual(prices.net(200, 19), 168)

    def test_of_none(self):
        self.assertEqual(prices.net(77, 0), 77)

    def test_refuses(self):
        with self.assertRaises(ValueError):
            prices.net(1, -1)
`,
      'tests/test_prices.py': `import unittest
from prices import discount, shown, split


class Discount(unittest.TestCase):
    def test_ten(self):
        self.assertEqual(discount(1000, 10), 900)

    def test_five(self):
        self.assertEqual(discount(1000, 5), 950)

    def test_four(self):
        self.assertEqual(discount(1000, 4), 1000)

    def test_nine(self):
        self.assertEqual(discount(1000, 9), 950)


class Shown(unittest.TestCase):
    def test_small(self):
        self.assertEqual(shown(7), "0.07")

    def test_negative(self):
        self.assertEqual(shown(-1250), "-12.50")


class Split(unittest.TestCase):
    def test_rest(self):
        self.assertEqual(split(10, 3), [4, 3, 3])

    def test_even(self):
        self.assertTrue(all(part == 3 for part in split(9, 3)))
`,
    },
  },
  {
    name: 'own-slugs',
    ecosystem: 'python',
    command: 'make -B test',
    files: {
      Makefile: pythonMakefile,
      'shop/__init__.py': '',
      'shop/slugs.py': `import re


def slug(title, limit=20):
    words = [word for word in re.split(r"[^a-z0-9]+", title.lower()) if word]
    text = "-".join(words)
    if len(text) > limit:
        text = text[:limit].rstrip("-")
    return text or "untitled"


def unique(wanted, taken):
    if wanted not in taken:
        return wanted
    number = 2
    while "%s-%d" % (wanted, number) in taken:
        number += 1
    return "%s-%d" % (wanted, number)


def initials(name):
    return "".join(part[0].upper() for part in name.split() if part[0].isalpha())
`,
      'tests/__init__.py': '',
      'tests/test_slugs.py': `import unittest
from shop.slugs import initials, slug, unique


class Slugs(unittest.TestCase):
    def test_words(self):
        self.assertEqual(slug("Hello, World!"), "hello-world")

    def test_long(self):
        self.assertEqual(slug("one two three four five six"), "one-two-three-four-f")

    def test_empty(self):
        self.assertEqual(slug("!!!"), "untitled")

    def test_cut(self):
        self.assertEqual(slug("ab cd ef", 6), "ab-cd")


class Unique(unittest.TestCase):
    def test_free(self):
        self.assertEqual(unique("a", []), "a")

    def test_taken(self):
        self.assertEqual(unique("a", ["a"]), "a-2")

    def test_again(self):
        self.assertEqual(unique("a", ["a", "a-2", "a-3"]), "a-4")


class Initials(unittest.TestCase):
    def test_two(self):
        self.assertEqual(initials("ada lovelace"), "AL")

    def test_signs(self):
        self.assertEqual(initials("ada & bob"), "AB")
`,
    },
  },
  {
    name: 'own-cart',
    ecosystem: 'javascript',
    command: 'npm test',
    files: {
      'package.json': nodePackage('module', 'node --test'),
      'cart.js': `/** A cart of lines { id, count, cents }. */
export function add(cart, line) {
  if (line.count < 1) throw new RangeError('a line has at least one piece');
  const known = cart.find(({ id }) => id === line.id);
  if (known === undefined) return [...cart, line];
  return cart.map((each) => (each === known ? { ...each, count: each.count + line.count } : each));
}

export function total(cart) {
  return cart.reduce((sum, { count, cents }) => sum + count * cents, 0);
}

export function shipping(cart) {
  const sum = total(cart);
  if (cart.length === 0) return 0;
  if (sum >= 5000) return 0;
  return sum > 2000 ? 290 : 490;
}

export function coupon(code) {
  const found = /^([A-Z]{3})-(\\d{1,2})$/.exec(code);
  if (found === null) return null;
  const percent = Number(found[2]);
  return percent > 0 && percent <= 50 ? percent : null;
}
`,
      'cart.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { add, coupon, shipping, total } from './cart.js';

const line = (id, count, cents) => ({ id, count, cents });

test('a new line is added', () => assert.deepEqual(add([], line('a', 1, 5)), [line('a', 1, 5)]));
test('a known line grows', () => assert.deepEqual(add([line('a', 1, 5)], line('a', 2, 5)), [line('a', 3, 5)]));
test('no line is empty', () => assert.throws(() => add([], line('a', 0, 5)), RangeError));
test('the total counts pieces', () => assert.equal(total([line('a', 2, 150), line('b', 1, 50)]), 350));
test('shipping of much is free', () => assert.equal(shipping([line('a', 1, 5000)]), 0));
test('shipping of some is cheap', () => assert.equal(shipping([line('a', 1, 2001)]), 290));
test('shipping of little', () => assert.equal(shipping([line('a', 1, 2000)]), 490));
test('shipping of nothing', () => assert.equal(shipping([]), 0));
test('a coupon', () => assert.equal(coupon('ABC-50'), 50));
test('no coupon of more than half', () => assert.equal(coupon('ABC-51'), null));
test('no coupon of nothing', () => assert.equal(coupon('ABC-0'), null));
`,
    },
  },
  {
    name: 'own-ranges',
    ecosystem: 'javascript',
    command: 'npm test',
    files: {
      'package.json': nodePackage('commonjs', 'node --test'),
      'lib/ranges.js': `'use strict';

/** Ranges [from, to) of whole numbers. */
function merge(ranges) {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const [from, to] of sorted) {
    const last = merged[merged.length - 1];
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

const size = (ranges) => merge(ranges).reduce((sum, [from, to]) => sum + (to - from), 0);

const contains = (ranges, n) => ranges.some(([from, to]) => n >= from && n < to);

function parse(text) {
  return text.split(',').map((part) => {
    const [from, to = from] = part.split('-').map(Number);
    return [from, to + 1];
  });
}

module.exports = { merge, size, contains, parse };
`,
      'test/ranges.test.js': `'use strict';
const assert = require('node:assert');
const { describe, it } = require('node:test');
const { contains, merge, parse, size } = require('../lib/ranges.js');

describe('merge', () => {
  it('joins what touches', () => assert.deepStrictEqual(merge([[3, 5], [1, 3]]), [[1, 5]]));
  it('leaves gaps', () => assert.deepStrictEqual(merge([[1, 2], [3, 4]]), [[1, 2], [3, 4]]));
  it('keeps the longer', () => assert.deepStrictEqual(merge([[1, 9], [2, 3]]), [[1, 9]]));
});
describe('size', () => {
  it('counts once', () => assert.strictEqual(size([[1, 4], [2, 6]]), 5));
  it('of none', () => assert.strictEqual(size([]), 0));
});
describe('contains', () => {
  it('its start', () => assert.ok(contains([[1, 3]], 1)));
  it('not its end', () => assert.ok(!contains([[1, 3]], 3)));
});
describe('parse', () => {
  it('both', () => assert.deepStrictEqual(parse('1-3,7'), [[1, 4], [7, 8]]));
});
`,
    },
  },
  {
    name: 'own-words',
    ecosystem: 'javascript',
    command: 'npm test',
    files: {
      'package.json': nodePackage('module', 'node --test'),
      'src/words.js': `export function plural(count, word) {
  if (count === 1) return \`1 \${word}\`;
  const ends = /(?:s|x|ch|sh)$/.test(word) ? 'es' : 's';
  return \`\${count} \${word}\${ends}\`;
}

export function wrapped(text, width) {
  const lines = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : \`\${line} \${word}\`;
  }
  if (line !== '') lines.push(line);
  return lines;
}

export function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + same);
    }
    row = next;
  }
  return row[b.length];
}
`,
      'src/words.test.js': `import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { distance, plural, wrapped } from './words.js';

test('one', () => equal(plural(1, 'box'), '1 box'));
test('two', () => equal(plural(2, 'box'), '2 boxes'));
test('none', () => equal(plural(0, 'cat'), '0 cats'));
test('wraps', () => deepEqual(wrapped('aa bb cc', 5), ['aa bb', 'cc']));
test('wraps at the width', () => deepEqual(wrapped('aa bb', 4), ['aa', 'bb']));
test('wraps nothing', () => deepEqual(wrapped('', 4), []));
test('distance of equal words', () => equal(distance('abc', 'abc'), 0));
test('distance of other words', () => equal(distance('kitten', 'sitting'), 3));
test('distance to nothing', () => equal(distance('abc', ''), 3));
`,
    },
  },
  {
    name: 'own-units',
    ecosystem: 'shell',
    command: 'make -B test',
    files: {
      Makefile: 'test:\n\tsh t/run.sh\n',
      'units.sh': `# Sizes for people: 1536 is 1.5K.
human() {
  n=$1
  if [ "$n" -lt 1024 ]; then echo "$n"; return; fi
  if [ "$n" -lt 1048576 ]; then tenths=$((n * 10 / 1024)); unit=K; else tenths=$((n * 10 / 1048576)); unit=M; fi
  whole=$((tenths / 10)); rest=$((tenths % 10))
  if [ "$rest" -eq 0 ]; then echo "$whole$unit"; else echo "$whole.$rest$unit"; fi
}

pad() {
  text=$1
  while [ \${#text} -lt "$2" ]; do text=" $text"; done
  printf '%s\\n' "$text"
}

largest() {
  best=
  for n in "$@"; do if [ -z "$best" ] || [ "$n" -gt "$best" ]; then best=$n; fi; done
  echo "$best"
}
`,
      't/run.sh': `. ./units.sh
failed=0
is() { if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1: $2"; failed=1; fi; }
is small "$(human 512)" 512
is kilo "$(human 1024)" 1K
is half "$(human 1536)" 1.5K
is mega "$(human 3145728)" 3M
is edge "$(human 1023)" 1023
is pad "$(pad ab 4)" '  ab'
is long "$(pad abcd 2)" abcd
is largest "$(largest 3 9 4)" 9
is one "$(largest 7)" 7
exit $failed
`,
    },
  },
  {
    name: 'own-dates',
    ecosystem: 'shell',
    command: 'make -B test',
    files: {
      Makefile: 'test:\n\tset -e; for t in t/*.sh; do echo $$t; sh $$t; done\n',
      'dates.sh': `leap() {
  if [ $(($1 % 400)) -eq 0 ]; then return 0; fi
  if [ $(($1 % 100)) -eq 0 ]; then return 1; fi
  [ $(($1 % 4)) -eq 0 ]
}

days() {
  case $2 in
    4|6|9|11) echo 30 ;;
    2) if leap "$1"; then echo 29; else echo 28; fi ;;
    *) echo 31 ;;
  esac
}

minutes() {
  echo $(( $1 / 60 )):$(( $1 % 60 / 10 ))$(( $1 % 10 ))
}
`,
      't/days.sh':
        '. ./dates.sh\n[ "$(days 2024 2)" = 29 ]\n[ "$(days 2023 2)" = 28 ]\n[ "$(days 1900 2)" = 28 ] && [ "$(days 2000 2)" = 29 ] && [ "$(days 2024 4)" = 30 ] && [ "$(days 2024 12)" = 31 ]\n',
      't/minutes.sh': '. ./dates.sh\n[ "$(minutes 75)" = 1:15 ] && [ "$(minutes 125)" = 2:05 ]\n',
    },
  },
  {
    name: 'own-graph',
    ecosystem: 'typescript',
    command: 'npm test',
    files: {
      'package.json': nodePackage('module', "node --test 'test/*.test.ts'"),
      'src/graph.ts': `export type Edges = Record<string, string[]>;

export function order(edges: Edges): string[] {
  const done: string[] = [];
  const open = new Set<string>();
  const visit = (node: string) => {
    if (done.includes(node)) return;
    if (open.has(node)) throw new Error(\`\${node} waits for itself\`);
    open.add(node);
    for (const next of edges[node] ?? []) visit(next);
    open.delete(node);
    done.push(node);
  };
  for (const node of Object.keys(edges).sort()) visit(node);
  return done;
}

export function depth(edges: Edges, node: string): number {
  const next = edges[node] ?? [];
  if (next.length === 0) return 0;
  return 1 + Math.max(...next.map((each) => depth(edges, each)));
}

export const reached = (edges: Edges, from: string, steps: number): string[] => {
  let now = [from];
  for (let step = 0; step < steps; step += 1) now = [...new Set(now.flatMap((node) => edges[node] ?? []))];
  return now.sort();
};
`,
      'test/graph.test.ts': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { depth, order, reached } from '../src/graph.ts';

const edges = { a: ['b', 'c'], b: ['c'], c: [], d: ['a'] };
test('what is needed comes first', () => assert.deepEqual(order(edges), ['c', 'b', 'a', 'd']));
test('no circle', () => assert.throws(() => order({ a: ['b'], b: ['a'] }), /waits for itself/));
test('depth', () => assert.equal(depth(edges, 'd'), 3));
test('depth of a leaf', () => assert.equal(depth(edges, 'c'), 0));
test('two steps', () => assert.deepEqual(reached(edges, 'd', 2), ['b', 'c']));
test('no step', () => assert.deepEqual(reached(edges, 'd', 0), ['d']));
`,
    },
  },
  {
    name: 'own-money',
    ecosystem: 'typescript',
    command: 'npm test',
    files: {
      'package.json': nodePackage('module', "node --test 'src/*.test.ts'"),
      'src/money.ts': `export interface Money {
  cents: number;
  currency: string;
}

export function parse(text: string): Money {
  const found = /^(-?)(\\d+)(?:\\.(\\d{2}))? ([A-Z]{3})$/.exec(text);
  if (found === null) throw new SyntaxError(text);
  const [, sign, whole, part = '0', currency] = found;
  const cents = Number(whole) * 100 + Number(part);
  return { cents: sign === '-' ? -cents : cents, currency: currency as string };
}

export function sum(all: Money[]): Money {
  const [first] = all;
  if (first === undefined) throw new RangeError('a sum of nothing has no currency');
  if (all.some(({ currency }) => currency !== first.currency)) throw new TypeError('one currency at a time');
  return { ...first, cents: all.reduce((total, { cents }) => total + cents, 0) };
}

export const fee = ({ cents, currency }: Money, percent: number): Money => ({
  cents: Math.max(1, Math.ceil((cents * percent) / 100)),
  currency,
});
`,
      'src/money.test.ts': `import { deepEqual, throws } from 'node:assert/strict';
import test from 'node:test';
import { fee, parse, sum } from './money.ts';

const eur = (cents: number) => ({ cents, currency: 'EUR' });
test('parses', () => deepEqual(parse('12.05 EUR'), eur(1205)));
test('parses whole ones', () => deepEqual(parse('7 EUR'), eur(700)));
test('parses debts', () => deepEqual(parse('-7.10 EUR'), eur(-710)));
test('refuses', () => throws(() => parse('7.1 EUR'), SyntaxError));
test('sums up', () => deepEqual(sum([eur(1), eur(2)]), eur(3)));
test('refuses two currencies', () => throws(() => sum([eur(1), { cents: 1, currency: 'USD' }]), TypeError));
test('fee is rounded up', () => deepEqual(fee(eur(101), 10), eur(11)));
test('fee is at least a cent', () => deepEqual(fee(eur(1), 0), eur(1)));
`,
    },
  },
  {
    name: 'own-queue',
    ecosystem: 'java',
    command: 'make -B test',
    files: {
      Makefile: javaMakefile('RingTest'),
      'src/Ring.java': `public class Ring {
    private final int[] items;
    private int head = 0;
    private int size = 0;

    public Ring(int capacity) {
        if (capacity < 1) throw new IllegalArgumentException("capacity");
        items = new int[capacity];
    }

    public void add(int item) {
        items[(head + size) % items.length] = item;
        if (size < items.length) size += 1;
        else head = (head + 1) % items.length;
    }

    public int take() {
        if (size == 0) throw new IllegalStateException("empty");
        int item = items[head];
        head = (head + 1) % items.length;
        size -= 1;
        return item;
    }

    public int sum() {
        int sum = 0;
        for (int at = 0; at < size; at++) sum += items[(head + at) % items.length];
        return sum;
    }

    public boolean isFull() {
        return size == items.length;
    }
}
`,
      'tests/RingTest.java': `import static org.junit.Assert.*;
import org.junit.Test;

public class RingTest {
    private Ring of(int capacity, int... items) {
        Ring ring = new Ring(capacity);
        for (int item : items) ring.add(item);
        return ring;
    }

    @Test public void takesInOrder() {
        Ring ring = of(3, 1, 2);
        assertEquals(1, ring.take());
        assertEquals(2, ring.take());
    }

    @Test public void forgetsTheOldest() {
        assertEquals(2, of(2, 1, 2, 3).take());
    }

    @Test public void sums() {
        assertEquals(9, of(3, 1, 2, 3, 4).sum());
        assertEquals(0, of(3).sum());
    }

    @Test(expected = IllegalStateException.class) public void isEmpty() {
        of(1).take();
    }

    @Test(expected = IllegalArgumentException.class) public void hasRoom() {
        of(0);
    }

    @Test public void isFull() {
        assertTrue(of(1, 5).isFull());
        assertFalse(of(2, 5).isFull());
    }
}
`,
    },
  },
  {
    name: 'own-roman',
    ecosystem: 'java',
    command: 'make -B test',
    files: {
      Makefile: javaMakefile('RomanTest'),
      'src/Roman.java': `public final class Roman {
    private static final int[] VALUES = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
    private static final String[] SIGNS = {"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"};

    private Roman() {}

    public static String of(int number) {
        if (number < 1 || number > 3999) throw new IllegalArgumentException("" + number);
        StringBuilder text = new StringBuilder();
        int rest = number;
        for (int at = 0; at < VALUES.length; at++) {
            while (rest >= VALUES[at]) {
                text.append(SIGNS[at]);
                rest -= VALUES[at];
            }
        }
        return text.toString();
    }

    public static int parse(String text) {
        int sum = 0;
        int at = 0;
        while (at < text.length()) {
            int sign = 0;
            while (sign < SIGNS.length && !text.startsWith(SIGNS[sign], at)) sign++;
            if (sign == SIGNS.length) throw new IllegalArgumentException(text);
            sum += VALUES[sign];
            at += SIGNS[sign].length();
        }
        return sum;
    }
}
`,
      'tests/RomanTest.java': `import static org.junit.Assert.*;
import org.junit.Test;

public class RomanTest {
    @Test public void small() {
        assertEquals("I", Roman.of(1));
        assertEquals("III", Roman.of(3));
    }

    @Test public void before() {
        assertEquals("IV", Roman.of(4));
        assertEquals("MCMXCIV", Roman.of(1994));
    }

    @Test public void largest() {
        assertEquals("MMMCMXCIX", Roman.of(3999));
    }

    @Test(expected = IllegalArgumentException.class) public void tooLarge() {
        Roman.of(4000);
    }

    @Test(expected = IllegalArgumentException.class) public void none() {
        Roman.of(0);
    }

    @Test public void parses() {
        assertEquals(1994, Roman.parse("MCMXCIV"));
    }

    @Test(expected = IllegalArgumentException.class) public void refuses() {
        Roman.parse("MQ");
    }
}
`,
    },
  },
];
