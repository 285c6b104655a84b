/** A change of 2,000 files and 5 MB. */

export const largeCount = 2_000;
const endings = ['ts', 'py', 'go', 'json', 'css', 'rs', 'md', 'java'];

export const largeName = (nth: number) =>
  `packages/part-${nth % 40}/src/deep/file-${nth}.${endings[nth % endings.length]}`;

/** As a refactoring of a large project: parts of files, with lines that stay, go and come. */
export function largePatch(): string {
  const lineOf = (nth: number, line: number, word: string) =>
    `  const ${word}_${line} = await call("${nth}", { retries: ${line}, label: 'value' }); // ${word} of file ${nth}`;
  return Array.from({ length: largeCount }, (_, nth) => {
    const lines = Array.from({ length: 12 }, (_each, line) => [
      ` ${lineOf(nth, line, 'same')}`,
      `-${lineOf(nth, line, 'old')}`,
      `+${lineOf(nth, line, 'new')}`,
    ]).flat();
    const path = largeName(nth);
    return `diff --git a/${path} b/${path}\nindex 1..2 100644\n--- a/${path}\n+++ b/${path}\n@@ -1,24 +1,24 @@\n${lines.join('\n')}\n`;
  }).join('');
}
