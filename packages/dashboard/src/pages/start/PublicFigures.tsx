/** Comes with the operation that gives them. */
export function PublicFigures() {
  return null;
}
