import { create } from 'qrcode';

/** Cells of white around the code, which cameras need. */
const margin = 3;

/** A text as a QR code. Drawn dark on white in both themes, because some cameras read nothing else. */
export function QrCode({ text }: { text: string }) {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const { size } = modules;
  const cells = Array.from({ length: size * size }, (_, at) => at).filter((at) => modules.data[at]);
  const path = cells.map((at) => `M${(at % size) + margin} ${Math.floor(at / size) + margin}h1v1h-1z`).join('');
  const side = size + 2 * margin;
  return (
    <svg
      role="img"
      aria-label="QR code for an authenticator app"
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
      className="mx-auto size-48 rounded-base border border-line"
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
