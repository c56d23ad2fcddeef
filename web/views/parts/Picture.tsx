// A picture that came with the content. Nothing is fetched from the network, and only formats that cannot carry script.

const shown = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

export function isPicture(contentType: string): boolean {
  return shown.test(contentType);
}

export function Picture({
  base64,
  contentType,
  label,
}: {
  readonly base64: string;
  readonly contentType: string;
  readonly label: string;
}) {
  return <img class="picture" src={`data:${contentType};base64,${base64}`} alt={label} />;
}
