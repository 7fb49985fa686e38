// Markdown of a model, made harmless. The rules: what is HTML in it is shown as
// text; a picture is named and not loaded; a link has no address that the browser
// could fetch, or look up, before a person follows it.
import { Marked } from './vendor/marked/marked.esm.js';
import './vendor/dompurify/purify.min.js';

const purify = globalThis.DOMPurify;

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text) => text.replace(/[&<>"']/g, (c) => escapes[c]);
const followable = /^(https?|mailto):/i;

// link is text where its address is none that can be followed.
function link(address, inner) {
  if (!followable.test(address)) {
    return inner;
  }
  return `<span class="link" role="link" tabindex="0" title="${escape(address)}" data-address="${escape(address)}">${inner}</span>`;
}

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => (/^<br ?\/?>$/i.test(text.trim()) ? '<br>' : escape(text)),
    link({ href, tokens }) {
      return link(href, this.parser.parseInline(tokens));
    },
    image: ({ href, text }) => link(href, escape(`[picture: ${text || href}]`)),
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    // A table may be wider than the window.
    table(token) {
      const row = (cells, of) => `<tr>${cells.map((cell, i) => {
        const align = token.align[i] ? ` align="${token.align[i]}"` : '';
        return `<${of}${align}>${this.parser.parseInline(cell.tokens)}</${of}>`;
      }).join('')}</tr>`;
      return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table><thead>${row(token.header, 'th')}</thead>`
        + `<tbody>${token.rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>`;
    },
  },
});

const allowed = {
  ALLOWED_TAGS: ['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'em', 'strong',
    'del', 'span', 'div', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ALLOWED_ATTR: ['class', 'role', 'tabindex', 'title', 'align', 'start', 'data-address', 'aria-label'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

// blocks takes a text apart into what stands below one another. The key of a
// block changes when what it is drawn from does.
export function blocks(text) {
  const tokens = marked.lexer(text);
  const references = Object.keys(tokens.links ?? {}).length;
  return tokens
    .filter((token) => token.type !== 'space' && token.type !== 'def')
    .map((token) => ({ key: `${references} ${token.raw}`, token }));
}

// draw makes a block.
export const draw = (block) => purify.sanitize(marked.parser([block.token]), allowed);

// purifySpans is for what the highlighter wrote: text in spans with classes.
export const purifySpans = (text) => purify.sanitize(text, { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'], RETURN_DOM_FRAGMENT: true });
