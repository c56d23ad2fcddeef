// What the page and the frame that draws diagrams tell each other.

export interface DiagramRequest {
  readonly code: string;
  readonly look: DiagramLook;
}

export interface DiagramLook {
  readonly isDark: boolean;
  readonly font: string;
  readonly colours: Readonly<Record<DiagramColour, string>>;
}

export type DiagramColour = 'text' | 'line' | 'ground' | 'box' | 'boxLine' | 'part' | 'partLine';

/** Nobody believes it: the frame has run what others wrote. */
export type DiagramAnswer =
  | { readonly svg: string; readonly width: number; readonly height: number }
  | { readonly problem: string };
