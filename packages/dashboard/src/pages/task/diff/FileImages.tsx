import { useQuery } from '@tanstack/react-query';
import type { Reader } from '../../../reading/reader.ts';
import { bytes } from '../../../ui/format.ts';
import { Loaded } from '../../../ui/States.tsx';
import { Picture } from '../content/Picture.tsx';
import { sizes } from './layout.ts';

/** A picture before and after: the patch has both, so nothing else is fetched. */
export function FileImages({ reader, name, nth, path }: { reader: Reader; name: string; nth: number; path: string }) {
  const query = useQuery({
    queryKey: ['diff-contents', name, nth],
    queryFn: () => reader.ask('contents', nth),
    staleTime: 'static',
    gcTime: 0,
    retry: false,
    structuralSharing: false,
  });
  return (
    <div style={{ height: sizes.images }} className="overflow-hidden">
      <Loaded query={query}>
        {({ before, after }) => (
          <div className="grid h-full grid-cols-2 divide-x divide-line">
            <Side title="Before" content={before} name={`${path} before`} />
            <Side title="After" content={after} name={`${path} after`} />
          </div>
        )}
      </Loaded>
    </div>
  );
}

function Side({ title, content, name }: { title: string; content: Uint8Array<ArrayBuffer> | null; name: string }) {
  const isThere = content !== null && content.length > 0;
  return (
    <div className="min-w-0">
      <p className="px-3 pt-2 text-tiny text-soft">
        {title}
        {isThere && ` · ${bytes(content.length)}`}
      </p>
      {isThere ? (
        <Picture content={content} name={name} />
      ) : (
        <p className="p-3 text-small text-faint">
          {content === null ? 'Not in the patch, or too large to be shown.' : 'There was none.'}
        </p>
      )}
    </div>
  );
}
