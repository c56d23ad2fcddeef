// A document whose new style elements go around the page's policy against inline styles: their rules are adopted as style
// sheets, which a script of ours may do and text of a stranger cannot.

export interface StyledDocument {
  readonly document: Document;
  dispose(): void;
}

export function styledDocument(real: Document): StyledDocument {
  const sheets = new Set<CSSStyleSheet>();
  const adopt = (): void => {
    real.adoptedStyleSheets = [...real.adoptedStyleSheets.filter((sheet) => !mine.has(sheet)), ...sheets];
  };
  const mine = new WeakSet<CSSStyleSheet>();

  const createStyle = (): HTMLStyleElement => {
    const element = real.createElement('style');
    const sheet = new CSSStyleSheet();
    mine.add(sheet);
    Object.defineProperty(element, 'textContent', {
      get: () => '',
      set: (rules: string) => {
        sheet.replaceSync(rules);
        sheets.add(sheet);
        adopt();
      },
    });
    return element;
  };

  const document = new Proxy(real, {
    get: (target, name) => {
      if (name === 'createElement') {
        return (tag: string, options?: ElementCreationOptions) => (tag === 'style' ? createStyle() : target.createElement(tag, options));
      }
      const value: unknown = Reflect.get(target, name, target);
      // Methods of the page refuse to work on anything but the page.
      return typeof value === 'function' ? (...args: unknown[]): unknown => Reflect.apply(value, target, args) : value;
    },
  });

  return {
    document,
    dispose: () => {
      sheets.clear();
      adopt();
    },
  };
}
