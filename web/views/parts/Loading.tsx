// Grey bars in the place of what is still loading. They appear only if it takes a moment.

export function Loading({ what }: { readonly what: string }) {
  return (
    <div class="skel-stack" role="status" aria-busy="true" aria-label={`Loading ${what}`}>
      <div class="skel" />
      <div class="skel" />
      <div class="skel" />
    </div>
  );
}
