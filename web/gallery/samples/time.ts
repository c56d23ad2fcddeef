// The time of the gallery, which stands still.

export const galleryTime = Date.parse('2026-01-02T05:00:00.000Z');

export function minutesAgo(minutes: number): string {
  return new Date(galleryTime - minutes * 60_000).toISOString();
}
