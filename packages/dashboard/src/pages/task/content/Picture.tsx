import { useEffect, useState } from 'react';
import { isSmallEnough, pictureType } from './pictures.ts';

/** A stranger's picture, from what the page has fetched. It is drawn, and nothing in it runs or loads. */
export function Picture({ content, name }: { content: Uint8Array<ArrayBuffer>; name: string }) {
  const [address, setAddress] = useState<string | null>(null);
  const [isBroken, setIsBroken] = useState(false);
  const type = pictureType(content);
  const mayShow = type !== null && isSmallEnough(content);
  useEffect(() => {
    if (type === null || !mayShow) return;
    const made = URL.createObjectURL(new Blob([content], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type, mayShow]);
  if (!mayShow || isBroken)
    return <p className="p-3 text-small text-soft">This is no picture that can be shown. Download it to see it.</p>;
  return address && <Frame address={address} name={name} onError={() => setIsBroken(true)} />;
}

/** A drawing: as a picture of its own it has no scripts and loads nothing. Its address has no origin, wherever it is opened. */
export function Drawing({ text, name }: { text: string; name: string }) {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) return <p className="p-3 text-small text-soft">This drawing cannot be shown. Its text is in Raw.</p>;
  return (
    <Frame
      address={`data:image/svg+xml,${encodeURIComponent(text.toWellFormed())}`}
      name={name}
      onError={() => setIsBroken(true)}
    />
  );
}

function Frame({ address, name, onError }: { address: string; name: string; onError: () => void }) {
  return (
    <div className="flex h-72 items-center justify-center p-3">
      <img
        src={address}
        alt={name}
        decoding="async"
        onError={onError}
        className="max-h-full max-w-full rounded-small border border-line bg-[repeating-conic-gradient(var(--color-sunken)_0_25%,var(--color-surface)_0_50%)] bg-size-[16px_16px] object-contain"
      />
    </div>
  );
}
