import { say } from './toast.tsx';

const cell = 'td, th, [role=cell], [role=rowheader]';
const row = 'tr, [role=row]';
const body = 'tbody, [role=rowgroup]';

/** What a spreadsheet would run: a stranger may be called so. Amounts and numbers are none. */
const startsFormula = /^([=@＝＠]|[+\-＋－](?![\p{Sc}\d.,]+$))/u;

/** A cell of a line that goes into a spreadsheet: in one line, and nothing that would be run there. */
export function tsvCell(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  return startsFormula.test(plain) ? `'${plain}` : plain;
}

// biome-ignore lint/performance/useDomNodeTextContent: what is seen, with breaks between its lines
const seen = (element: HTMLElement): string => element.innerText;

/** What a cell says, without its buttons; that of a heading sorts, and has its words. */
function textOf(element: HTMLElement): string {
  let text = seen(element);
  for (const button of element.querySelectorAll('tbody button')) text = text.replace(seen(button as HTMLElement), ' ');
  return text.trim();
}

const rowText = (element: Element): string =>
  [...element.querySelectorAll<HTMLElement>(cell)].map((each) => tsvCell(textOf(each))).join('\t');

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}.`);
  } catch {
    say('The browser does not let this page copy. Select the text and copy it by hand.');
  }
}

const focusedCell = () => {
  const found = document.activeElement?.closest<HTMLElement>(cell);
  return found?.closest(body) ? found : null;
};

/** Copies the cell that has the focus, or its row, with tabs between its cells. False where none has it. */
export function copyFocused(what: 'cell' | 'row'): boolean {
  const found = focusedCell();
  if (!found) return false;
  void copy(what === 'cell' ? textOf(found) : rowText(found.closest(row)!), `the ${what}`);
  return true;
}

/** Copies the rows that are shown of a table, as a spreadsheet takes them. */
export const copyTable = (table: HTMLTableElement): Promise<void> =>
  copy([...table.rows].map(rowText).join('\n'), 'the table');
