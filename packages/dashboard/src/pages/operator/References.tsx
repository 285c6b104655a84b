import { TextLink } from '../../ui/Button.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { Code } from '../../ui/Values.tsx';

/** Ids as links to what they name in the operator area. */

/** `tsk_…n6p0rs`: the end of an id is what differs. The whole id is a hover away, and on the page of the thing. */
const shortOf = (id: string) => `${id.slice(0, 4)}…${id.slice(-6)}`;

interface ReferenceProps {
  id: string | null;
  name?: string | null;
}

export const OwnerRef = ({ id, name }: ReferenceProps) => reference('owners', 'owner', id, name);
export const AgentRef = ({ id, name }: ReferenceProps) => reference('agents', 'agent', id, name);
export const TaskRef = ({ id, name }: ReferenceProps) => reference('tasks', 'task', id, name);

function reference(tab: string, what: 'owner' | 'agent' | 'task', id: string | null, name: string | null | undefined) {
  if (id === null) return <span className="text-faint">–</span>;
  return (
    <TextLink to="/operator" search={{ tab, [what]: id }} title={id}>
      {name ? <bdi>{name}</bdi> : <span className="font-mono text-[0.9em] whitespace-nowrap">{shortOf(id)}</span>}
    </TextLink>
  );
}

/** An id that can be copied. */
export const WholeId = ({ id, what }: { id: string; what: string }) => (
  <span className="flex flex-wrap items-center gap-1">
    <Code>{id}</Code>
    <Copy text={id} what={what} />
  </span>
);
