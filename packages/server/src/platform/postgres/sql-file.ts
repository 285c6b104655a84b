import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The text of a `.sql` file beside the module that calls it. `{{name}}` is replaced by one of the values: our own
 * words, never a party's. The compiled server reads the same files; they are not copied.
 */
export function sqlFile(caller: string, name: string, values: Record<string, string> = {}): string {
  const at = caller.lastIndexOf('/dist/');
  const beside = at < 0 ? caller : `${caller.slice(0, at)}/src/${caller.slice(at + '/dist/'.length)}`;
  const text = readFileSync(fileURLToPath(new URL(name, beside)), 'utf8');
  const unused = new Set(Object.keys(values));
  const sql = text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`${name} needs a value for ${key}`);
    unused.delete(key);
    return value;
  });
  if (unused.size > 0) throw new Error(`${name} does not use ${[...unused].join(', ')}`);
  return sql;
}
