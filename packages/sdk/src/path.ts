/**
 * Builds a path with escaped parameters. Refuses an empty id and one of dots: the URL would name another endpoint
 * (`/agents/` is the owner's list).
 */
export function path(parts: TemplateStringsArray, ...ids: string[]): string {
  return parts.reduce((built, part, index) => built + checked(ids[index - 1]) + part);
}

function checked(id: string | undefined): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') {
    throw new TypeError(`A path parameter must be an id, not ${JSON.stringify(id)}`);
  }
  return encodeURIComponent(id);
}
