// Shows states that need a pointer or the keyboard: each rule for one gets a copy for a class, so that the
// gallery shows the real styles.

const states: readonly (readonly [selector: string, className: string])[] = [
  [':focus-visible', '.shows-focus'],
  [':focus-within', '.shows-focus'],
  [':hover', '.shows-hover'],
  [':active', '.shows-pressed'],
  [':popover-open', '.shows-open'],
];

export function addForcedStates(): void {
  for (const sheet of document.styleSheets) addTo(sheet);
}

function addTo(place: CSSStyleSheet | CSSGroupingRule): void {
  for (let index = place.cssRules.length - 1; index >= 0; index -= 1) {
    const rule = place.cssRules[index];
    if (rule instanceof CSSGroupingRule) addTo(rule);
    if (!(rule instanceof CSSStyleRule)) continue;
    let forced = rule.selectorText;
    for (const [selector, className] of states) forced = forced.replaceAll(selector, className);
    if (forced !== rule.selectorText) place.insertRule(`${forced} { ${rule.style.cssText} }`, index + 1);
  }
}
