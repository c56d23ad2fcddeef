// Makes xterm.js work under the page's content security policy, which forbids style elements and style
// attributes. While a terminal is open, `document.createElement` returns elements that apply their styles
// through the CSS object model, which the policy allows. xterm.js ignores its `documentOverride` option for
// some elements, so the page's document is patched.

/** The number of open terminals. */
let openTerminals = 0;

/** Patches the document; call the returned function when the terminal is closed. */
export function adoptEmulatorStyles(): () => void {
  openTerminals += 1;
  if (openTerminals === 1) document.createElement = createElement;
  return () => {
    openTerminals -= 1;
    if (openTerminals === 0) Reflect.deleteProperty(document, 'createElement');
  };
}

function createElement(tag: string, options?: ElementCreationOptions): HTMLElement {
  if (tag === 'style') return createStyle();
  const element = createOriginal(tag, options);
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
  return element;
}

/**
 * A hidden span that stands in for a style element and adopts its rules: even an empty style
 * element is forbidden.
 */
function createStyle(): HTMLElement {
  const element = createOriginal('span');
  const sheet = new CSSStyleSheet();
  element.hidden = true;
  Object.defineProperty(element, 'textContent', {
    get: () => '',
    set: (rules: string) => {
      sheet.replaceSync(rules);
      if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
    },
  });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((adopted) => adopted !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

function createOriginal(tag: string, options?: ElementCreationOptions): HTMLElement {
  return Document.prototype.createElement.call(document, tag, options);
}
