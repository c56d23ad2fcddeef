// Checks an image of an agent or model before it is logged: a format that every client shows safely,
// complete, and not too large. Pure.

export interface MadePicture {
  readonly mediaType: string;
  /** Base64 without line breaks. */
  readonly data: string;
}

/** The largest image that is stored, in bytes. */
export const largestPicture = 10_000_000;

/** How each format begins, in base64. A declared type may be wrong; the first bytes are not. */
const beginnings: readonly (readonly [mediaType: string, begins: RegExp])[] = [
  ['image/png', /^iVBORw0KGg/],
  ['image/jpeg', /^\/9j\//],
  ['image/gif', /^R0lGOD/],
  ['image/webp', /^UklGR.{6}XRUJQ/],
];

/** The image, or a sentence that says why it cannot be stored. */
export function pictureOf(base64: string): MadePicture | { readonly problem: string } {
  // A text much longer than the largest image is not checked further.
  if (base64.length > largestPicture * 2) return tooLarge(pictureBytes(base64));
  const data = base64.replaceAll(/\s+/g, '');
  const [mediaType] = beginnings.find(([, begins]) => begins.test(data)) ?? [];
  if (mediaType === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return { problem: 'A picture came that is none that can be shown.' };
  const bytes = pictureBytes(data);
  return bytes > largestPicture ? tooLarge(bytes) : { mediaType, data };
}

/** The number of bytes in a base64 text. */
export function pictureBytes(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

function tooLarge(bytes: number): { readonly problem: string } {
  return {
    problem:
      `A picture of ${Math.ceil(bytes / 1_000_000)} MB came, which is more than the ` +
      `${largestPicture / 1_000_000} MB that are kept.`,
  };
}
