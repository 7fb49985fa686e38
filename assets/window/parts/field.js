// One key of the configuration: what stands in its box, and the value in it.
import { html } from '../lib/render.js';

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
  let box;
  if (of.type === 'bool') {
    box = html`<input type="checkbox" role="switch" class="switch" ...${about} checked=${value} onChange=${(e) => onChange(e.target.checked)} />`;
  } else if (of.choices) {
    const choices = of.choices.includes(value) ? of.choices : [...of.choices, value];
    box = html`<select ...${about} onChange=${(e) => onChange(e.target.value)}>
      ${choices.map((c) => html`<option value=${c} selected=${c === value}>${c || of.empty}</option>`)}</select>`;
  } else {
    box = html`<input type="text" ...${about} autocomplete="off" autocapitalize="off" spellcheck=${false} placeholder=${of.empty} value=${value} onInput=${(e) => onChange(e.target.value)} />`;
  }
  const takes = of.type === 'bool' || of.choices || error ? '' : ` ${of.help}`;
  const changed = of.type !== 'bool' && !same(read(of, value), of.default);
  return html`<div class="field ${of.type === 'bool' ? 'inline' : ''}">
    <label for=${id}>${title(of.key)}</label>${box}
    <p class="help" id=${help}>${of.comment}${takes}${changed && html` <span class="faint">Default: ${written(of.default) === '' ? of.empty || 'none' : String(written(of.default))}.</span>`}</p>
    ${error && html`<p class="wrong" id=${wrong} role="alert">${error}</p>`}
  </div>`;
}
