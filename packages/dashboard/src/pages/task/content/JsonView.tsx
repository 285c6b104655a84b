import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { type Child, type Key, pathText, type Value } from '../../../reading/json.ts';
import type { Reader } from '../../../reading/reader.ts';
import { Button } from '../../../ui/Button.tsx';
import { Copy } from '../../../ui/Copy.tsx';
import { cx } from '../../../ui/cx.ts';
import { count, counted } from '../../../ui/format.ts';
import { Segments } from '../../../ui/Segments.tsx';
import { Failure, Skeleton } from '../../../ui/States.tsx';
import { DataTable } from './DataTable.tsx';

const still = { staleTime: 'static', gcTime: 0, retry: false, structuralSharing: false } as const;

interface JsonViewProps {
  text: string;
  isLines: boolean;
  reader: Reader;
}

/** JSON as a tree, or as a table where it is one. The worker has it; the page asks for what it shows. */
export function JsonView({ text, isLines, reader }: JsonViewProps) {
  const [way, setWay] = useState<'table' | 'tree'>('table');
  const { data, error } = useQuery({
    queryKey: ['json', reader.name, text.length],
    queryFn: () => reader.ask('json', text, isLines),
    ...still,
  });
  if (error)
    return <p className="text-small text-soft">It is no JSON that can be read. It is in Raw, letter by letter.</p>;
  if (!data) return <Skeleton />;
  const { value, columns } = data;
  if (columns === null) return <Tree reader={reader} root={value} />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex">
        <Segments
          label="Shape"
          options={[
            ['table', 'Table'],
            ['tree', 'Tree'],
          ]}
          value={way}
          onChange={setWay}
        />
      </div>
      {way === 'table' ? (
        <DataTable reader={reader} columns={columns} total={value.size} />
      ) : (
        <Tree reader={reader} root={value} />
      )}
    </div>
  );
}

function Tree({ reader, root }: { reader: Reader; root: Value }) {
  const [typed, setTyped] = useState('');
  const [top, setTop] = useState<Key[]>([]);
  const words = useDeferredValue(typed.trim());
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 text-small">
      {root.size > 0 && (
        <input
          type="search"
          aria-label="Search in the data"
          placeholder="Search in the data"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          className="min-h-8 w-full max-w-72 rounded-base border border-line-strong bg-surface px-2.5 placeholder:text-faint"
        />
      )}
      {words !== '' && (
        <Results
          {...{ reader, words }}
          onShow={(path) => {
            setTop(path);
            setTyped('');
          }}
        />
      )}
      {top.length > 0 && (
        <p className="flex flex-wrap items-center gap-2">
          <bdi className="font-mono text-soft [overflow-wrap:anywhere]">{pathText(top)}</bdi>
          <Button small kind="quiet" onClick={() => setTop([])}>
            Show all
          </Button>
        </p>
      )}
      <ul className="grid grid-cols-[minmax(0,1fr)] overflow-x-auto font-mono text-tiny leading-6" key={pathText(top)}>
        {top.length > 0 ? (
          <Inside reader={reader} path={top} />
        ) : (
          <Node reader={reader} path={[]} child={{ key: '$', value: root }} isFirst />
        )}
      </ul>
    </div>
  );
}

const inOnePage = 100;

/** The values inside one, a hundred at a time. */
function Inside({ reader, path }: { reader: Reader; path: readonly Key[] }) {
  const query = useInfiniteQuery({
    queryKey: ['json-children', reader.name, path],
    queryFn: ({ pageParam }) => reader.ask('children', [...path], pageParam, inOnePage),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.length < inOnePage ? undefined : pages.length * inOnePage),
    ...still,
  });
  if (query.error) return <Failure error={query.error} />;
  const children = query.data?.pages.flat() ?? [];
  return (
    <>
      {children.map((child) => (
        <Node key={child.key} reader={reader} path={[...path, child.key]} child={child} />
      ))}
      {query.hasNextPage && (
        <li className="py-1">
          <Button small kind="quiet" onClick={() => void query.fetchNextPage()}>
            Show the next {inOnePage}
          </Button>
        </li>
      )}
    </>
  );
}

const mostOpenAtFirst = 30;

interface NodeProps {
  reader: Reader;
  path: readonly Key[];
  child: Child;
  isFirst?: boolean;
}

function Node({ reader, path, child: { key, value }, isFirst }: NodeProps) {
  const hasInside = (value.kind === 'object' || value.kind === 'array') && value.size > 0;
  const [isOpen, setIsOpen] = useState(
    hasInside && (isFirst === true || (path.length < 3 && value.size <= mostOpenAtFirst)),
  );
  const Icon = isOpen ? ChevronDown : ChevronRight;
  const name = (
    <bdi className="text-code-property whitespace-pre">{typeof key === 'string' ? key.slice(0, 200) : key}</bdi>
  );
  return (
    <li className="min-w-0">
      <div className="group flex min-h-6 items-start gap-1">
        {hasInside ? (
          <button
            type="button"
            aria-expanded={isOpen}
            className="flex min-w-0 items-center gap-1 rounded-small pr-1 text-left hover:bg-sunken"
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />
            {name}
            <span className="text-faint">{sizeText(value)}</span>
          </button>
        ) : (
          <span className="flex min-w-0 gap-2 pl-[1.125rem]">
            {name}
            <Plain reader={reader} path={path} value={value} />
          </span>
        )}
        {path.length > 0 && (
          <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-sm:hidden">
            <CopyPath path={path} />
          </span>
        )}
      </div>
      {isOpen && (
        <ul className="ml-1.5 border-l border-line pl-3">
          <Inside reader={reader} path={path} />
        </ul>
      )}
    </li>
  );
}

const CopyPath = ({ path }: { path: readonly Key[] }) => (
  <span className="[&_button]:min-h-6! [&_button]:py-0!">
    <Copy text={pathText(path)} what={`path ${pathText(path).slice(0, 200)}`} />
  </span>
);

const sizeText = ({ kind, size }: Value): string =>
  kind === 'array' ? `[${counted(size, 'value')}]` : `{${counted(size, 'key')}}`;

const looks: Record<Value['kind'], string> = {
  object: 'text-faint',
  array: 'text-faint',
  string: 'text-code-string',
  number: 'text-code-number',
  boolean: 'text-code-keyword',
  null: 'text-faint',
};

/** The longest text that is shown whole; a longer one is in Raw. */
const mostChars = 100_000;

function Plain({ reader, path, value }: { reader: Reader; path: readonly Key[]; value: Value }) {
  const { kind, size, text } = value;
  const [isWhole, setIsWhole] = useState(false);
  const { data: whole = text } = useQuery({
    queryKey: ['json-text', reader.name, path],
    queryFn: () => reader.ask('text', [...path], mostChars),
    enabled: isWhole,
    ...still,
  });
  if (kind === 'object' || kind === 'array')
    return <span className="text-faint">{kind === 'array' ? '[]' : '{}'}</span>;
  return (
    <span className="min-w-0">
      <bdi className={cx('whitespace-pre-wrap [overflow-wrap:anywhere]', looks[kind])}>{whole}</bdi>
      {kind === 'string' && size > whole.length && !isWhole && (
        <Button small kind="quiet" onClick={() => setIsWhole(true)}>
          … {count(size - text.length)} more
        </Button>
      )}
    </span>
  );
}

function Results({ reader, words, onShow }: { reader: Reader; words: string; onShow: (path: Key[]) => void }) {
  const { data, error } = useQuery({
    queryKey: ['json-find', reader.name, words],
    queryFn: () => reader.ask('findValues', words),
    ...still,
  });
  if (error) return <Failure error={error} />;
  if (!data) return <Skeleton lines={2} />;
  return (
    <div className="rounded-base border border-line">
      <p aria-live="polite" className="border-b border-line px-3 py-1.5 text-soft">
        {data.total === 0 ? 'Nothing has these letters.' : counted(data.total, 'match', 'matches')}
        {data.total > data.found.length && `; the first ${data.found.length} are here`}
      </p>
      <ul aria-label="Matches" className="max-h-80 overflow-y-auto px-3 py-1 font-mono text-tiny">
        {data.found.map(({ path, value }) => (
          <li key={pathText(path)} className="flex flex-wrap items-center gap-x-3">
            <button
              type="button"
              className="min-w-0 text-left text-code-property hover:underline [overflow-wrap:anywhere]"
              onClick={() => onShow(path.slice(0, -1))}
            >
              <bdi>{pathText(path)}</bdi>
            </button>
            <bdi className={cx('min-w-0 flex-1 truncate', looks[value.kind])}>{value.text || sizeText(value)}</bdi>
            <CopyPath path={path} />
          </li>
        ))}
      </ul>
    </div>
  );
}
