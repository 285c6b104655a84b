type Given = string | { content?: unknown; encoding?: unknown };

/**
 * The text that a delivered file was made from: the input's file of the same path, under `output/` or not. Null if there
 * is none, or it was binary or has been erased.
 */
export function originalOf(input: Record<string, unknown>, path: string): string | null {
  const files = input.files as Record<string, Given> | undefined;
  if (typeof files === 'object' && files !== null && !Array.isArray(files)) {
    for (const name of [path, `output/${path}`]) {
      const given = Object.hasOwn(files, name) ? files[name] : undefined;
      if (typeof given === 'string') return given;
      if (given && typeof given.content === 'string' && given.encoding !== 'base64') return given.content;
    }
  }
  return path === 'code' && typeof input.code === 'string' ? input.code : null;
}
