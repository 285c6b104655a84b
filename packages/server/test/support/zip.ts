import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** An archive of these files, by their paths, with what Git writes at its end. */
export function zip(files: Record<string, string>, comment = ''): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'agora-zip-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    // Go takes no directories, so each file is named.
    const program =
      "import sys, zipfile\nwith zipfile.ZipFile('made', 'w', 8) as z:\n  for p in sys.argv[2:]: z.write(p)\n  z.comment = sys.argv[1].encode()";
    const { status, stderr } = spawnSync('python3', ['-c', program, comment, ...Object.keys(files)], {
      cwd: directory,
    });
    if (status !== 0) throw new Error(String(stderr));
    return readFileSync(join(directory, 'made'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
