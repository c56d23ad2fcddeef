// Runs in the frame that draws diagrams, which has no origin and no network. It answers one request, on the
// port that comes with it.
import { errorText } from '../../src/base/errorText.ts';
import type { DiagramAnswer, DiagramRequest } from './messages.ts';

interface Mermaid {
  initialize(config: object): void;
  render(id: string, code: string): Promise<{ readonly svg: string }>;
}

// The page has the library in a script of its own.
declare const mermaid: Mermaid;

/** What the code of a diagram must not change: its look belongs to the page. */
const fixed = [
  'secure',
  'securityLevel',
  'startOnLoad',
  'maxTextSize',
  'maxEdges',
  'suppressErrorRendering',
  'theme',
  'themeVariables',
  'themeCSS',
  'darkMode',
  'fontFamily',
  'altFontFamily',
  'htmlLabels',
  'dompurifyConfig',
];

addEventListener('message', ({ source, data, ports: [port] }: MessageEvent<DiagramRequest>) => {
  if (source !== parent || !port) return;
  void draw(data).then((answer) => port.postMessage(answer));
});

async function draw({ code, look }: DiagramRequest): Promise<DiagramAnswer> {
  try {
    mermaid.initialize({
      securityLevel: 'strict',
      startOnLoad: false,
      suppressErrorRendering: true,
      maxTextSize: code.length + 1,
      maxEdges: 500,
      secure: fixed,
      deterministicIds: true,
      // Words as SVG text: a picture may have no HTML in it everywhere.
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      class: { htmlLabels: false },
      fontSize: 14,
      // A line must not cross the words on it.
      themeCSS: '.edgeLabel rect { opacity: 1; }',
      fontFamily: look.font,
      theme: 'base',
      darkMode: look.isDark,
      themeVariables: themeOf(look),
    });
    const { svg } = await mermaid.render('diagram', code);
    return pictureOf(svg);
  } catch (error) {
    return { problem: errorText(error) };
  }
}

/** Drawn once more in this page, so that it is well-formed and has a size of its own. */
function pictureOf(svg: string): DiagramAnswer {
  const holder = document.createElement('div');
  holder.innerHTML = svg;
  const picture = holder.querySelector('svg');
  if (!picture) return { problem: 'Nothing was drawn.' };
  const { width, height } = picture.viewBox.baseVal;
  picture.setAttribute('width', String(width));
  picture.setAttribute('height', String(height));
  return { svg: new XMLSerializer().serializeToString(picture), width, height };
}

function themeOf({ isDark, font, colours }: DiagramRequest['look']): object {
  const { text, line, ground, box, boxLine, part, partLine } = colours;
  return {
    darkMode: isDark,
    fontFamily: font,
    fontSize: '14px',
    background: ground,
    primaryColor: box,
    primaryTextColor: text,
    primaryBorderColor: boxLine,
    secondaryColor: part,
    secondaryTextColor: text,
    secondaryBorderColor: partLine,
    tertiaryColor: part,
    tertiaryTextColor: text,
    tertiaryBorderColor: partLine,
    textColor: text,
    titleColor: text,
    lineColor: line,
    edgeLabelBackground: ground,
    noteBkgColor: part,
    noteTextColor: text,
    noteBorderColor: partLine,
  };
}
