// A diagram, drawn from its code. The code is shown until then, on request, and where it cannot be drawn.
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import { diagramName } from './diagramName.ts';
import { drawer } from './draw.ts';
import type { Drawing } from './draw.ts';
import { useDark } from '../state/theme.ts';
import { CopyButton } from '../views/parts/CopyButton.tsx';
import { WatcherContext } from '../views/parts/LazyBlock.tsx';

export function DiagramBlock({ code }: { readonly code: string }) {
  const figure = useRef<HTMLElement>(null);
  const drawing = useDrawing(code, figure);
  const [wantsCode, setWantsCode] = useState(false);
  const picture = drawing && 'address' in drawing ? drawing : undefined;
  return (
    <figure ref={figure} class="frame code-block" dir="ltr">
      <figcaption class="frame-head">
        <span>mermaid</span>
        <span class="end">
          {picture && (
            <button type="button" class="btn ghost small" onClick={() => setWantsCode(!wantsCode)}>
              {wantsCode ? 'Show diagram' : 'Show code'}
            </button>
          )}
          <CopyButton text={code} what="code" />
        </span>
      </figcaption>
      {picture && !wantsCode ? (
        <div class="diagram" tabIndex={0} role="group" aria-label="Diagram">
          <img src={picture.address} width={picture.width} height={picture.height} alt={diagramName(code)} />
        </div>
      ) : (
        <pre class="code" tabIndex={0} aria-label="mermaid code">
          <code>{code}</code>
        </pre>
      )}
      {!picture && <DrawingNote drawing={drawing} />}
    </figure>
  );
}

function DrawingNote({ drawing }: { readonly drawing: Drawing | undefined }) {
  if (!drawing || !('problem' in drawing)) return <p class="diagram-note">Drawing the diagram …</p>;
  const [first = ''] = drawing.problem.split('\n', 1);
  return (
    <p class="diagram-note" role="status" title={drawing.problem}>
      The diagram cannot be drawn. {first.replace(/:$/, '.').slice(0, 200)}
    </p>
  );
}

/** Drawn once it is near the screen. */
function useDrawing(code: string, figure: RefObject<HTMLElement | null>): Drawing | undefined {
  const isDark = useDark();
  const watcher = useContext(WatcherContext);
  const [last, setLast] = useState<{ readonly code: string; readonly drawing: Drawing | undefined }>();
  const known = drawer.known(code, isDark);
  useEffect(() => {
    if (known || !figure.current) return;
    let isWanted = true;
    const draw = async (): Promise<void> => {
      const drawing = await drawer.draw(code, isDark, () => isWanted);
      if (isWanted) setLast({ code, drawing });
    };
    const leave = watcher?.watch(figure.current, (isNear) => {
      if (!isNear) return;
      leave?.();
      void draw();
    });
    // Without a long list around it, it is in sight.
    if (!watcher) void draw();
    return () => {
      isWanted = false;
      leave?.();
    };
  }, [code, isDark, watcher]);
  // In another theme the picture stays until the next one is drawn.
  return known ?? (last?.code === code ? last.drawing : undefined);
}
