// Markdown of a model, made harmless. The rules: what is HTML in it is shown as
// text; a picture is named and not loaded; a link has no address that the browser
// could fetch, or look up, before a person follows it; and what would take long to
// read is shown as it was written.
import { Lexer, Marked } from '../vendor/marked/marked.esm.js';
import '../vendor/dompurify/purify.min.js';
import { codeOf } from './blocks.js';
import { plain } from './hidden.js';

const purify = globalThis.DOMPurify;

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text) => text.replace(/[&<>"']/g, (c) => escapes[c]);
const followable = /^(https?|mailto):/i;

// link is plain text where its address cannot be followed.
function link(address, inner) {
  if (!followable.test(address)) {
    return inner;
  }
  return `<span class="link" role="link" tabindex="0" title="${escape(address)}" data-address="${escape(address)}">${inner}</span>`;
}

const marked = new Marked({
  gfm: true,
  renderer: {
    // Behind a tag such as <kbd> the parser would leave text as it is.
    text: (token) => (token.escaped ? escape(token.text) : false),
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

// most is what is read of a block. A parser that looks back takes a time that grows
// with the square of what there is, and worse.
const most = { length: 32_000, lines: 1000, deep: 24, texts: 4000, marks: 400 };

// Limited gives up on what is more than that. A text with too much in it stays as it
// is.
class Limited extends Lexer {
  depth = 0;

  texts = 0;

  blockTokens(...of) {
    if (++this.depth > most.deep) {
      throw new RangeError('too deep');
    }
    const tokens = super.blockTokens(...of);
    this.depth--;
    return tokens;
  }

  inline(...of) {
    if (++this.texts > most.texts) {
      throw new RangeError('too many texts');
    }
    return super.inline(...of);
  }

  inlineTokens(text, tokens = []) {
    if (text.replace(/[^*_~`[\]<\\!]/g, '').length > most.marks) {
      tokens.push({ type: 'text', raw: text, text });
      return tokens;
    }
    return super.inlineTokens(text, tokens);
  }
}

// tokensOf reads a block. The addresses that references name are those of the whole
// text, as far as it was read.
function tokensOf(block, references) {
  if (block.fence) {
    const { language, code } = codeOf(block);
    return [{ type: 'code', raw: block.text, lang: language, text: code }];
  }
  if (block.text.length > most.length || block.text.split('\n').length > most.lines) {
    throw new RangeError('too long');
  }
  const lexer = new Limited(marked.defaults);
  lexer.tokens.links = references;
  return lexer.lex(block.text);
}

// draw makes a block. What cannot be read is shown as it is, and keeps nothing else
// from being shown.
export function draw(block, references) {
  if (block.plain) {
    return plain(block.text);
  }
  try {
    return purify.sanitize(marked.parser(tokensOf(block, references)), allowed);
  } catch {
    return plain(block.text);
  }
}

// purifySpans is for what the highlighter wrote: text in spans with classes.
export const purifySpans = (text) => purify.sanitize(text, { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'], RETURN_DOM_FRAGMENT: true });
