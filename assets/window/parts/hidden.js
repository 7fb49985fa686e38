// Characters that nobody sees and that change how others are read: they turn the
// direction of a text, or stand between its letters. They are shown as ⟨U+202E⟩ and
// have no effect. Those that join letters and emoji (U+200C, U+200D) stay.
const hidden = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/;
const each = new RegExp(hidden, 'g');
const runs = new RegExp(`(${hidden.source}+)`);

// most is how many of them get an element each; more would make the page slow.
const most = 500;

const name = (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;

// shown is a text with them written out.
export const shown = (text) => text.replace(each, name);

// show writes them out in what is drawn.
export function show(root) {
  if (!hidden.test(root.textContent)) {
    return;
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    if (hidden.test(walker.currentNode.data)) {
      found.push(walker.currentNode);
    }
  }
  let count = 0;
  for (const text of found) {
    const parts = text.data.split(runs); // every other one is of them
    count += parts.length;
    if (count > most) {
      text.data = shown(text.data);
      continue;
    }
    text.replaceWith(...parts.map((part, i) => {
      if (i % 2 === 0) {
        return part;
      }
      const mark = document.createElement('span');
      mark.className = 'hidden-mark';
      mark.title = 'A character that is not seen. It has no effect here.';
      mark.textContent = shown(part);
      return mark;
    }));
  }
}

// plain is a text as it was written.
export function plain(text) {
  const element = document.createElement('div');
  element.className = 'plain';
  element.textContent = text;
  return element;
}
