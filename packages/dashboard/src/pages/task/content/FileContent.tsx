import type { Artifact } from '@agora-market/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { agora } from '../../../api/client.ts';
import { contentOf } from '../../../ui/download.ts';
import { SoFar } from '../../../ui/SoFar.tsx';
import { Loaded, Skeleton } from '../../../ui/States.tsx';
import { isPdf, type Kind, kindOfFile } from './kind.ts';
import { PdfView } from './PdfView.tsx';
import { Picture } from './Picture.tsx';
import { pictureType } from './pictures.ts';
import { Shown } from './Shown.tsx';

/** A delivered file in its shape. What it is, its first bytes say, or its name. */
export function FileContent({ file, taskId }: { taskId: string; file: Artifact }) {
  const [size, setSize] = useState(0);
  const query = useQuery({
    queryKey: ['task-file', file.id],
    queryFn: async () => {
      const content = await contentOf(await agora.artifacts.download(taskId, file.id), setSize);
      return shapeOf(file.path, await content.arrayBuffer());
    },
    ...{ staleTime: 'static', structuralSharing: false },
  });
  return (
    <Loaded query={query} skeleton={<Coming size={size} of={file.sizeBytes} />}>
      {(content) => {
        if ('picture' in content) return <Picture content={content.picture} name={file.path} />;
        if ('pdf' in content) return <PdfView content={content.pdf} name={file.path} />;
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

const Coming = (come: { size: number; of: number }) => (
  <div className="grid gap-2 p-3">
    <Skeleton />
    <SoFar {...come} />
  </div>
);

type Content =
  | { picture: Uint8Array<ArrayBuffer> }
  | { pdf: Uint8Array<ArrayBuffer> }
  | { text: null }
  | { text: string; kind: Kind };

/** The text is null where a file has none. */
function shapeOf(path: string, buffer: ArrayBuffer): Content {
  const bytes = new Uint8Array(buffer);
  if (pictureType(bytes) !== null) return { picture: bytes };
  if (isPdf(bytes)) return { pdf: bytes };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(buffer);
    return text.includes('\0') ? { text: null } : { text, kind: kindOfFile(path, text) };
  } catch {
    return { text: null };
  }
}
