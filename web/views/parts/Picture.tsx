// An inline picture. Only formats that cannot contain scripts; nothing is fetched from the network.

const safeTypes = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

export function isPicture(contentType: string): boolean {
  return safeTypes.test(contentType);
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
