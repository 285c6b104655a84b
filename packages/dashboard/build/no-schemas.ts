/**
 * Stands for zod in the dashboard's build. The contract describes each operation by schemas, which the server checks;
 * the pages need only the plain data beside them, and zod would be half of their first load.
 */
const nothing: unknown = new Proxy(() => nothing, {
  get: (_target, name) =>
    name === Symbol.iterator ? () => [].values() : name === Symbol.toPrimitive ? () => '' : nothing,
  apply: () => nothing,
});

export const z = nothing;
