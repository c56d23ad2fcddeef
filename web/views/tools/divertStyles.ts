// The terminal emulator styles what it creates by text, which the page's policy forbids. While terminals are open, style elements
// become adopted style sheets and style attributes are set through the object model. A script of ours may do that; text of a
// stranger cannot. The emulator takes the page's document and no other, so it is the document that is changed.

let open = 0;

/** Returns how to end it; the last one to end it gives the document back as it was. */
export function divertStyles(): () => void {
  open += 1;
  if (open === 1) document.createElement = create;
  return () => {
    open -= 1;
    if (open === 0) Reflect.deleteProperty(document, 'createElement');
  };
}

function create(tag: string, options?: ElementCreationOptions): HTMLElement {
  if (tag === 'style') return createStyle();
  const element = original(tag, options);
  element.setAttribute = (name, value) => {
    if (name === 'style') element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
  return element;
}

/** Something to hold the place of a style element: even an empty one is forbidden. */
function createStyle(): HTMLElement {
  const element = original('span');
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

function original(tag: string, options?: ElementCreationOptions): HTMLElement {
  return Document.prototype.createElement.call(document, tag, options);
}
