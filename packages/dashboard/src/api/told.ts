/** Tasks that the owner's stream has named since the list last looked at them. */
const changed = new Set<string>();
/** More than this is looked at with the list. */
const most = 200;

export function noteChanged(taskId: string): void {
  if (changed.size < most) changed.add(taskId);
}

export function takeChanged(): ReadonlySet<string> {
  const taken = new Set(changed);
  changed.clear();
  return taken;
}
