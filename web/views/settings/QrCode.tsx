// A text as a QR code.
import { encode } from 'uqr';

export function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code of the link"
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
