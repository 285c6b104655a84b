import { bytes } from './format.ts';

/** How much of a long reply has come, in bytes, and of how much where that is known. */
export const SoFar = ({ size, of }: { size: number; of?: number }) => (
  <span role="status" className="figures text-small text-soft">
    {bytes(size)} {of === undefined ? 'so far' : `of ${bytes(of)}`}
  </span>
);
