import type { Artifact } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { agora } from '../../../api/client.ts';
import { Loaded, Skeleton } from '../../../ui/States.tsx';
import { type Kind, kindOfFile } from './kind.ts';
import { Picture } from './Picture.tsx';
import { pictureType } from './pictures.ts';
import { Shown } from './Shown.tsx';

/** A delivered file in its shape. What it is, its first bytes say, or its name. */
export function FileContent({ file, taskId }: { taskId: string; file: Artifact }) {
  const query = useQuery({
    queryKey: ['task-file', file.id],
    queryFn: async () => contentOf(file.path, await (await agora.artifacts.download(taskId, file.id)).arrayBuffer()),
    ...{ staleTime: 'static', structuralSharing: false },
  });
  return (
    <Loaded query={query} skeleton={<Skeleton className="p-3" />}>
      {(content) => {
        if ('picture' in content) return <Picture content={content.picture} name={file.path} />;
        if (content.text === null)
          return <p className="px-3 py-2 text-small text-soft">This file is binary. Download it to see it.</p>;
        return (
          <div className="p-3">
            <Shown text={content.text} kind={content.kind} name={file.path} />
          </div>
        );
      }}
    </Loaded>
  );
}

type Content = { picture: Uint8Array<ArrayBuffer> } | { text: null } | { text: string; kind: Kind };

/** The text is null where a file has none. */
function contentOf(path: string, buffer: ArrayBuffer): Content {
  const bytes = new Uint8Array(buffer);
  if (pictureType(bytes) !== null) return { picture: bytes };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(buffer);
    return text.includes('\0') ? { text: null } : { text, kind: kindOfFile(path, text) };
  } catch {
    return { text: null };
  }
}
