// Icons in the colour of the surrounding text. They are hidden from screen readers; a label beside
// them gives the meaning.

/** Drawn with a line. */
const outlines = {
  archive:
    'M3 3h10a0.5 0.5 0 0 1 0.5 0.5v2a0.5 0.5 0 0 1 -0.5 0.5h-10a0.5 0.5 0 0 1 -0.5 -0.5v-2' +
    'a0.5 0.5 0 0 1 0.5 -0.5zM3.5 6v7h9V6M6.5 8.5h3',
  'arrow-up': 'M8 13V3.5M4 7.2 8 3.2l4 4',
  bolt: 'M9 2 3.5 9H8l-1 5 5.5-7H8z',
  branch:
    'M3 3.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0M3 12.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0M10 5' +
    'a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0M4.5 5v6M11.5 6.5c0 3-7 1.5-7 4.5',
  changes: 'M8 2.5v7M4.5 6h7M4.5 12.5h7',
  check: 'M3 8.5 6.5 12 13 4.5',
  chev: 'M6 3.5l4.5 4.5L6 12.5',
  chip:
    'M5.5 4h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1 -1.5 1.5h-5a1.5 1.5 0 0 1 -1.5 -1.5v-5' +
    'a1.5 1.5 0 0 1 1.5 -1.5zM6.5 2v2m3-2v2m-3 8v2m3-2v2M2 6.5h2m-2 3h2m8-3h2m-2 3h2',
  clip: 'M12.5 7.3 8 11.8a2.9 2.9 0 0 1-4.1-4.1L8.7 3a1.9 1.9 0 0 1 2.7 2.7L6.8 10.3',
  clock: 'M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0M8 5v3l2 1.5',
  coin:
    'M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0M9.8 6.2C9.4 5.5 8.7 5.3 8 5.3c-1 0-1.8.5-1.8 1.3' +
    'C6.2 8.5 10 7.4 10 9.4c0 .8-.9 1.3-2 1.3-.8 0-1.6-.3-2-1M8 4.3v1m0 5.4v1',
  columns:
    'M3.5 3h9a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1 -1.5 1.5h-9a1.5 1.5 0 0 1 -1.5 -1.5v-7' +
    'a1.5 1.5 0 0 1 1.5 -1.5zM8 3v10',
  comment: 'M2.5 3.5h11v7.5H8L5 13.5V11H2.5z',
  copy:
    'M7 5.5h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1 -1.5 1.5h-5a1.5 1.5 0 0 1 -1.5 -1.5v-5' +
    'a1.5 1.5 0 0 1 1.5 -1.5zM10.5 3.5v-.5a.5.5 0 0 0-.5-.5H3a.5.5 0 0 0-.5.5v7a.5.5 0 0 0 .5.5h.5',
  doc: 'M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2.5',
  down: 'M3.5 6l4.5 4.5L12.5 6',
  edit: 'M3 13l.7-2.8 7-7 2.1 2.1-7 7zM9.3 4.6l2.1 2.1',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  folder: 'M2 4.5a1 1 0 0 1 1-1h3L7.5 5H13a1 1 0 0 1 1 1v5.5a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1z',
  fork:
    'M2.5 3.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0M10.5 3.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0' +
    'M6.5 12.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0M4 5c0 3.5 4 2.5 4 6 0-3.5 4-2.5 4-6',
  gauge: 'M3.2 12a5.5 5.5 0 1 1 9.6 0M8 10l2.2-3.2',
  globe: 'M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0M2.5 8h11M8 2.5c-4 4-4 7 0 11 4-4 4-7 0-11',
  hand: 'M8 2.5 13 4.5v3.7c0 2.6-2 4.4-5 5.3-3-.9-5-2.7-5-5.3V4.5z',
  inbox: 'M2.5 9.5 4.4 3.5h7.2l1.9 6v3h-11zM2.5 9.5h3l.9 1.5h3.2l.9-1.5h3',
  key: 'M2.75 10.5a2.75 2.75 0 1 0 5.5 0a2.75 2.75 0 1 0 -5.5 0M7.5 8.5l5.5-5.5M10.5 5.5l2 2',
  keyboard:
    'M3 4h10a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1 -1.5 1.5h-10a1.5 1.5 0 0 1 -1.5 -1.5v-5' +
    'a1.5 1.5 0 0 1 1.5 -1.5zM4 6.7h.1M6.7 6.7h.1M9.3 6.7h.1M12 6.7h.1M5 9.5h6',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  phone:
    'M6 2h4a1.5 1.5 0 0 1 1.5 1.5v9a1.5 1.5 0 0 1 -1.5 1.5h-4a1.5 1.5 0 0 1 -1.5 -1.5v-9' +
    'a1.5 1.5 0 0 1 1.5 -1.5zM7.3 11.8h1.4',
  pin: 'M6 2.5h4l-.500 4 2 2.5h-7l2-2.5zM8 9v4.5',
  plan: 'M2.5 4.5l1 1 2-2M2.5 11l1 1 2-2M8 4.5h5.5M8 11h5.5',
  plug: 'M6 2.5v3m4-3v3M4.5 5.5h7v2.5a3.5 3.5 0 0 1-7 0zM8 11.5v2',
  plus: 'M8 3v10M3 8h10',
  question:
    'M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0M6.3 6.5' +
    'c.1-1 .8-1.5 1.7-1.5 1 0 1.7.6 1.7 1.4 0 1.2-1.7 1.3-1.7 2.6M8 11v.1',
  retry: 'M12.8 8a4.8 4.8 0 1 1-1.4-3.4l1.4 1.4M12.8 3v3h-3',
  rewind: 'M6.5 3.5 3 7l3.5 3.5M3 7h6.5a3.25 3.25 0 0 1 0 6.5H8',
  search: 'M2.75 7a4.25 4.25 0 1 0 8.5 0a4.25 4.25 0 1 0 -8.5 0M10.2 10.2l3.3 3.3',
  send: 'M8 13V3.5M4 7.2 8 3.2l4 4',
  sidebar:
    'M3.5 3h9a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1 -1.5 1.5h-9a1.5 1.5 0 0 1 -1.5 -1.5v-7' +
    'a1.5 1.5 0 0 1 1.5 -1.5zM6 3v10',
  sliders:
    'M2.5 5H8m4 0h1.5M2.5 11H4m4 0h5.5M8.25 5a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0 -3.5 0M4.25 11' +
    'a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0 -3.5 0',
  spark: 'M8 2.5 9.4 6.6 13.5 8 9.4 9.4 8 13.5 6.6 9.4 2.5 8l4.1-1.4z',
  sub: 'M4 2.5v6a2 2 0 0 0 2 2h6M9.5 8l2.5 2.5L9.5 13',
  terminal:
    'M3.5 3h9a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1 -1.5 1.5h-9a1.5 1.5 0 0 1 -1.5 -1.5v-7' +
    'a1.5 1.5 0 0 1 1.5 -1.5zM4.8 6.2l2 1.8-2 1.8M8.5 10.3H11',
  trash: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9',
  undo: 'M5.5 3.5 2.5 6.5l3 3M2.5 6.5h7a3.5 3.5 0 0 1 0 7H7',
  up: 'M3.5 10l4.5-4.5L12.5 10',
  warn: 'M8 2.8 14 13H2zM8 6.8v2.7M8 11.3v.1',
  x: 'M4 4l8 8M12 4l-8 8',
} as const;

/** Drawn filled. */
const fills = {
  grip:
    'M5 4a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M9 4a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M5 8a1 1 0 1 0 2 0' +
    'a1 1 0 1 0 -2 0M9 8a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M5 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0M9 12' +
    'a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  more:
    'M2.25 8a1.25 1.25 0 1 0 2.5 0a1.25 1.25 0 1 0 -2.5 0M6.75 8a1.25 1.25 0 1 0 2.5 0' +
    'a1.25 1.25 0 1 0 -2.5 0M11.25 8a1.25 1.25 0 1 0 2.5 0a1.25 1.25 0 1 0 -2.5 0',
  stop:
    'M6 4.5h4a1.5 1.5 0 0 1 1.5 1.5v4a1.5 1.5 0 0 1 -1.5 1.5h-4a1.5 1.5 0 0 1 -1.5 -1.5v-4' +
    'a1.5 1.5 0 0 1 1.5 -1.5z',
} as const;

export type IconName = keyof typeof outlines | keyof typeof fills;

export function Icon({ name, kind = '' }: { readonly name: IconName; readonly kind?: string }) {
  return (
    <svg class={`icon ${kind}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {isFilled(name) ? <path class="fill" d={fills[name]} /> : <path d={outlines[name]} />}
    </svg>
  );
}

function isFilled(name: IconName): name is keyof typeof fills {
  return Object.hasOwn(fills, name);
}

/** The mark of the product: two speech bubbles. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path
        class="said"
        d={
          'M3 2.5h9A2.5 2.5 0 0 1 14.5 5v4A2.5 2.5 0 0 1 12 11.5H7.5L4 14.5v-3.1A2.5 2.5 0 0 1 1.5 9V4A1.5 ' +
          '1.5 0 0 1 3 2.5z'
        }
      />
      <path
        class="heard"
        d="M16 7.5a2.5 2.5 0 0 1 2.5 2.5v2.5A2.5 2.5 0 0 1 16.5 15v2.8L13 15h-2.5a2.5 2.5 0 0 1-1.7-.7"
      />
    </svg>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  /** For screen readers, and as a tooltip. */
  readonly label: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

export function IconButton({ icon, label, disabled = false, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      class="btn ghost icon-only small"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
