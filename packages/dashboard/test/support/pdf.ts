/** A text as a PDF has it between parentheses: ASCII, so that its places are counted in letters. */
export const pdfText = (text: string): string =>
  `(${text.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/[\\()]/g, (sign) => `\\${sign}`)})`;

interface PdfExtras {
  /** Further entries of its catalogue and of each page. */
  catalogue?: string;
  page?: string;
  /** Further objects, from number 5 on. */
  objects?: readonly string[];
}

/** A PDF with a page for each list of lines, and a check mark below. Object 1 is the catalogue, 2 the pages, 3 and 4 the fonts. */
export function pdfOf(pages: readonly (readonly string[])[], more: PdfExtras = {}): string {
  const { catalogue = '', page = '', objects = [] } = more;
  const first = 5 + objects.length;
  const bodies = [
    `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, nth) => `${first + nth * 2} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>',
    ...objects,
    ...pages.flatMap((lines, nth) => {
      const drawn = lines.map((line) => `${pdfText(line)} Tj T*`).join('\n');
      const content = `BT /F 11 Tf 14 TL 50 780 Td\n${drawn}\n0 -40 Td /D 40 Tf (4) Tj\nET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${first + nth * 2 + 1} 0 R
           /Resources << /Font << /F 3 0 R /D 4 0 R >> >> ${page} >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.7\n';
  const places: number[] = [];
  for (const [nth, body] of bodies.entries()) {
    places.push(text.length);
    text += `${nth + 1} 0 obj\n${body}\nendobj\n`;
  }
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const size = bodies.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}
