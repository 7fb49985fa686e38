// One key of the configuration: what stands in its box, and the value in it.
import { html } from './render.js';

// choices are the words that a key takes where its help lists no more than words,
// as in "auto, 12h or 24h"; null where it takes more.
function choices(takes) {
  const list = takes.split(/,\s*(?:or\s+)?|\s+or\s+/).map((part) => {
    const [, empty] = /^""(?: for (.+))?$/.exec(part) ?? [];
    if (part.startsWith('""')) {
      return { value: '', label: empty ?? 'none' };
    }
    return /^[\w-]+$/.test(part) ? { value: part, label: part } : null;
  });
  return list.length > 1 && list.every(Boolean) ? list : null;
}

// boxed takes apart what a key takes: a sentence, and what an empty value means. A
// list has no brackets in a box, and what is empty no quotes, as both have in the file.
function boxed({ takes, comment }) {
  const [, before, empty, after] = /^(.*?),? (?:or )?(?:\[\]|"") for ([^,]+)(.*)$/.exec(takes) ?? [takes, takes, '', ''];
  const rest = (before + after).replace(/\[(.+?)\]/g, '$1');
  const told = comment.includes(empty); // or there is nothing to tell
  return { sentence: `It takes ${rest}${told ? '' : `; leave it empty for ${empty}`}.`, empty };
}

// written is a value as it stands in a box.
export const written = (value) => (Array.isArray(value) ? value.join(', ') : value);

const number = (text) => (/^-?\d+$/.test(text) ? Number(text) : text);

// read is the value that a box has; what should be a number and is none is left for
// the server to tell what is wrong with it.
export function read(key, box) {
  if (key.type === 'int') {
    return number(String(box).trim());
  }
  if (key.type !== 'list') {
    return box;
  }
  const parts = box.replace(/^\s*\[|\]\s*$/g, '').split(',').map((part) => part.trim().replace(/^"(.*)"$/, '$1')).filter((part) => part !== '');
  return parts.map(number);
}

// title is a key without its section, as words.
export const title = (key) => {
  const words = key.split('.').pop().replaceAll('_', ' ').replace(/\bacu\b/, 'ACU');
  return words[0].toUpperCase() + words.slice(1);
};

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

export function Field({ of, value, error, onChange }) {
  const id = `key-${of.key}`;
  const help = `${id}-help`;
  const wrong = `${id}-wrong`;
  const about = { 'id': id, 'aria-describedby': error ? `${help} ${wrong}` : help, 'aria-invalid': error ? 'true' : undefined };
  const list = of.type === 'string' && choices(of.takes);
  const { sentence, empty } = boxed(of);
  const shown = error === `It takes ${of.takes}.` ? sentence : error; // as the file has it
  let box;
  if (of.type === 'bool') {
    box = html`<input type="checkbox" role="switch" class="switch" ...${about} checked=${value} onChange=${(e) => onChange(e.target.checked)} />`;
  } else if (list) {
    box = html`<select ...${about} onChange=${(e) => onChange(e.target.value)}>
      ${(list.some((c) => c.value === value) ? list : [...list, { value, label: value }]).map((c) => html`<option value=${c.value} selected=${c.value === value}>${c.label}</option>`)}</select>`;
  } else {
    box = html`<input type="text" ...${about} autocomplete="off" autocapitalize="off" spellcheck=${false} placeholder=${empty} value=${value} onInput=${(e) => onChange(e.target.value)} />`;
  }
  const takes = of.type === 'bool' || list || error ? '' : ` ${sentence}`;
  const changed = of.type !== 'bool' && !same(read(of, value), of.default);
  return html`<div class="field ${of.type === 'bool' ? 'inline' : ''}">
    <label for=${id}>${title(of.key)}</label>${box}
    <p class="help" id=${help}>${of.comment}${takes}${changed && html` <span class="faint">Default: ${written(of.default) === '' ? empty || 'none' : String(written(of.default))}.</span>`}</p>
    ${error && html`<p class="wrong" id=${wrong} role="alert">${shown}</p>`}
  </div>`;
}
