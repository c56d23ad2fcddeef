// Icons in the colour of the surrounding text. They are hidden from screen readers; a label beside
// them gives the meaning.

const shapes = {
  allow: 'M3 8.5 6.5 12 13 4.5',
  archive: 'M2 4h12v3H2zM3 7v6h10V7M6.5 10h3',
  attach: 'M5 8.5 9.5 4a2 2 0 0 1 3 3L7 12.5a3.5 3.5 0 0 1-5-5L7 3',
  back: 'M10 3 5 8l5 5',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
  down: 'M3 6l5 5 5-5',
  edit: 'M3 13l1-3 7-7 2 2-7 7zM9.5 4.5l2 2',
  error: 'M8 2l6.5 11.5h-13zM8 6.5v3.5M8 11.8v.2',
  folder: 'M2 4h4l1.5 2H14v7H2z',
  inbox: 'M2 9l2-6h8l2 6v4H2zM2 9h4l1 2h2l1-2h4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  people:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M11 8a2 2 0 0 0 ' +
    '0-4.2M12 9.7c1.6.5 2.5 1.9 2.5 3.8',
  plus: 'M8 3v10M3 8h10',
  send: 'M2.5 8 13.5 3 9.5 13.5 7.5 9z',
  settings:
    'M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 ' +
    '1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4',
  steer: 'M3 13c0-5 2-7 7-7h3M10 3l3 3-3 3',
  stop: 'M4 4h8v8H4z',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8 10.5h3',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9M7 7v4M9 7v4',
  think: 'M5 13.5h6M6 11.5c0-2-2-2.5-2-5a4 4 0 0 1 8 0c0 2.5-2 3-2 5z',
  tool: 'M10 2.5a3.5 3.5 0 0 0-3.3 4.7L2.5 11.4l2 2 4.3-4.2A3.5 3.5 0 0 0 13.4 5L11 7 9 5z',
  up: 'M3 10l5-5 5 5',
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}
