// Shows what the search field finds. `/` goes to the field, the arrows go through the results.
import { excerptOf, findSections } from './findSections.js';

const field = document.getElementById('search');
const list = document.getElementById('hits');

field.addEventListener('input', () => {
  const hits = findSections(globalThis.searchIndex, field.value);
  list.replaceChildren(...(hits.length > 0 ? hits.map(itemOf) : [emptyItem()]));
  list.hidden = field.value.trim() === '';
});

document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === 'Escape') list.hidden = true;
  else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event);
});

function move(event) {
  if (list.hidden || !event.target.closest('search')) return;
  const stops = [field, ...list.querySelectorAll('a')];
  const next = stops[stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)];
  event.preventDefault();
  next?.focus();
}

function itemOf({ address, page, heading, text }) {
  const link = document.createElement('a');
  link.href = address;
  link.addEventListener('click', () => (list.hidden = true));
  const title = document.createElement('strong');
  title.textContent = heading === page ? page : `${page}: ${heading}`;
  const excerpt = document.createElement('span');
  excerpt.textContent = excerptOf(text, field.value);
  link.append(title, excerpt);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function emptyItem() {
  const item = document.createElement('li');
  item.textContent = 'Nothing found.';
  return item;
}
