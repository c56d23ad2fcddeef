// What the gallery is made of: areas, their parts, and boxes in which components stand as in a page.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ClientContext } from '../state/app.ts';
import { createInbox, InboxContext } from '../state/inbox.ts';
import { hoverFirst, openAll, pressEach } from './inPage.ts';
import { tableClient } from './tableClient.ts';
import type { Tables } from './tableClient.ts';

interface PartProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** What one picture of the visual test shows. */
export function Area({ title, children }: PartProps) {
  return (
    <section class="gallery-area" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

export function Part({ title, children }: PartProps) {
  return (
    <section class="gallery-part" aria-label={title}>
      <h2>{title}</h2>
      <div>{children}</div>
    </section>
  );
}

/**
 * A box as high as a small window; what has a fixed place in the window has that place in it. It is a form,
 * because radio buttons of one name would be one choice in the whole document.
 */
export function Stage({
  size = '',
  children,
}: {
  readonly size?: 'tall' | 'low' | 'panel' | 'whole' | '';
  readonly children: ComponentChildren;
}) {
  return <form class={`stage ${size}`}>{children}</form>;
}

/** The menus and drawers inside are open. */
export function Opened({ children }: { readonly children: ComponentChildren }) {
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!part.current) return;
    openAll(part.current);
    hoverFirst(part.current);
  }, []);
  return <div ref={part}>{children}</div>;
}

interface PressedProps {
  /** How the names of buttons and summaries begin, in the order in which they are pressed. */
  readonly names: readonly string[];
  readonly children: ComponentChildren;
}

/** Somebody has pressed these buttons, each as soon as it was there. */
export function Pressed({ names, children }: PressedProps) {
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => (part.current ? pressEach(part.current, names) : undefined), []);
  return (
    <div ref={part} class="pressed">
      {children}
    </div>
  );
}

/** The components inside are those of another host. */
export function Host({
  tables,
  children,
}: {
  readonly tables: Tables;
  readonly children: ComponentChildren;
}) {
  const client = useMemo(() => tableClient(tables), [tables]);
  const inbox = useMemo(() => createInbox(client), [client]);
  return (
    <ClientContext.Provider value={client}>
      <InboxContext.Provider value={inbox}>{children}</InboxContext.Provider>
    </ClientContext.Provider>
  );
}
