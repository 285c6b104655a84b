import Anser from 'anser';
import { type Look, lookOf, MarkList, type Marks } from './marks.ts';

/** What a terminal would show: the text without its control sequences, and where it has colours. */

const colourNames: readonly Look[] = ['faint', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'faint'];

/** One of the eight colours of terminals for any other: strangers do not choose how readable a page is. */
function nearest(rgb: string): Look | null {
  const [red = 0, green = 0, blue = 0] = rgb.split(',').map(Number);
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 48) return most < 160 ? 'faint' : null;
  const bits = [red, green, blue].map((part) => part > most * 0.6);
  return colourNames[(bits[0] ? 1 : 0) + (bits[1] ? 2 : 0) + (bits[2] ? 4 : 0)] ?? null;
}

function lookOfPart({ fg, fg_truecolor, decorations }: Anser.AnserJsonEntry): Look | null {
  const named = /^ansi(?:-bright)?-(\w+)$/.exec(fg ?? '')?.[1];
  if (named === 'black' || (named === undefined && decorations.includes('dim'))) return 'faint';
  const index = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'].indexOf(named ?? '');
  if (index > 0) return colourNames[index] ?? null;
  if (fg === 'ansi-truecolor') return nearest(fg_truecolor);
  const palette = /^ansi-palette-(\d+)$/.exec(fg ?? '')?.[1];
  if (palette !== undefined) return nearest(rgbOf(Number(palette)));
  return decorations.includes('bold') ? 'bold' : null;
}

/** The cube of 216 colours and the greys of terminals with 256. */
function rgbOf(colour: number): string {
  if (colour >= 232)
    return Array(3)
      .fill(8 + (colour - 232) * 10)
      .join(',');
  const steps = [0, 95, 135, 175, 215, 255];
  const place = Math.max(0, colour - 16);
  return [Math.floor(place / 36) % 6, Math.floor(place / 6) % 6, place % 6].map((step) => steps[step]).join(',');
}

/** Sequences that move the cursor, set titles or make links; the colours are left for what reads them. */
const otherSequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is for.
  /\x1b(?:\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|\[[0-9;?]{0,32}[A-LN-Za-ln-z]|[()][A-Z0-9]|[=>78cDEHMNOZ])/g;
/** What a program writes over its own line, as a bar of progress does: the last of it stays. */
const lastWritten = (line: string): string => line.slice(line.lastIndexOf('\r', line.length - 2) + 1);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is for.
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/g;

export function readLog(text: string): { text: string; marks: Marks } {
  const marks = new MarkList();
  const plain = text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(lastWritten)
    .join('\n')
    .replace(otherSequences, '')
    .replace(controls, '');
  let shown = '';
  for (const part of Anser.ansiToJson(plain, { use_classes: true, remove_empty: true, json: true })) {
    const look = lookOfPart(part);
    const content = part.content.replaceAll('\x1b', '');
    // A mark ends with its line.
    if (look !== null) {
      let at = shown.length;
      for (const line of content.split('\n')) {
        marks.add(at, at + line.length, lookOf(look));
        at += line.length + 1;
      }
    }
    shown += content;
  }
  return { text: shown, marks: marks.all };
}
