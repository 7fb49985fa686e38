// The blocks of a text that grows: what stands below one another, each to be drawn
// by itself. Each line is read once, however long the text gets.

// most is what is read as Markdown. What follows is shown as it was written, in
// pieces, so that a text without an end does not make the page slow.
const most = { length: 200_000, blocks: 4000, piece: 16_000 };

const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const item = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const halfItem = /^(?:[-*+]|\d{1,9}[.)]?)$/; // a line that may become one

// A block is {text, fence, plain, first}: fence is what opens it where it is of code;
// plain is text that is not Markdown, and first says that none came before.
export class Blocks {
  constructor() {
    this.begin('');
  }

  begin(text) {
    this.text = text;
    this.over = []; // the blocks that do not change any more
    this.start = 0; // of the block that is open
    this.at = 0; // of the line that is open
    this.end = Infinity; // of the Markdown
    this.next();
  }

  next() {
    this.fence = '';
    this.list = false; // the open block has a list in it
    this.blank = false; // its last line is blank
  }

  // read returns the blocks of a text, which is what was read before and more, or
  // another one.
  read(written) {
    const text = written.includes('\r') ? written.replace(/\r\n?/g, '\n') : written;
    if (!text.startsWith(this.text)) {
      this.begin(text);
    }
    this.text = text;
    while (this.end === Infinity) {
      const next = text.indexOf('\n', this.at) + 1;
      if (this.over.length >= most.blocks) {
        this.end = this.start;
      } else if ((next || text.length) > most.length) {
        this.close(pieceEnd(text, 0, most.length));
        this.end = this.start;
      } else if (next) {
        this.line(text.slice(this.at, next - 1), next);
        this.at = next;
      } else {
        return [...this.over, ...this.open()];
      }
    }
    const pieces = [...this.over];
    while (text.length - this.start > most.piece) {
      this.over.push(this.piece(pieceEnd(text, this.start, most.piece)));
      pieces.push(this.over.at(-1));
    }
    return text.length > this.start ? [...pieces, { text: text.slice(this.start), plain: true, first: this.start === this.end }] : pieces;
  }

  piece(end) {
    const made = { text: this.text.slice(this.start, end), plain: true, first: this.start === this.end };
    this.start = end;
    return made;
  }

  // line takes in a whole line.
  line(line, next) {
    if (this.fence) {
      if (closes(line, this.fence)) {
        this.close(next);
      }
      return;
    }
    const [, opens = ''] = fence.exec(line) ?? [];
    if (opens && !(this.list && line.startsWith(' '))) { // which would be in the list
      this.close(this.at);
      this.fence = opens;
    } else if (line.trim() === '') {
      this.blank = true;
    } else {
      if (this.begins(line)) {
        this.close(this.at);
      }
      this.blank = false;
      this.list ||= item.test(line);
    }
  }

  // begins reports whether a block begins with a line, or the one before goes on.
  begins(line) {
    return this.blank && /^\S/.test(line) && !(this.list && item.test(line));
  }

  close(at) {
    this.over.push(...this.block(this.start, at));
    this.start = at;
    this.next();
  }

  // open are the blocks that the end of the text is in: one, or two if the last
  // line is the beginning of another.
  open() {
    const line = this.text.slice(this.at);
    if (!this.fence && this.begins(line) && !(this.list && halfItem.test(line))) {
      return [...this.block(this.start, this.at), ...this.block(this.at, this.text.length, '')];
    }
    return this.block(this.start, this.text.length);
  }

  block(start, end, of = this.fence) {
    const text = this.text.slice(start, end);
    return text.trim() === '' ? [] : [{ text, fence: of }];
  }
}

const closes = (line, opened) => new RegExp(`^ {0,3}${opened}[~\`]* *$`).test(line);

// pieceEnd is where a text is cut so that a piece is not longer than that: behind a
// line, else between two characters.
function pieceEnd(text, start, length) {
  const line = text.lastIndexOf('\n', start + length - 1) + 1;
  if (line > start) {
    return line;
  }
  const high = text.charCodeAt(start + length - 1);
  return start + length - (high >= 0xd800 && high < 0xdc00 ? 1 : 0);
}

// codeOf takes a block of code apart.
export function codeOf({ text, fence: opened }) {
  const [head, ...lines] = text.split('\n');
  if (lines.at(-1) === '') {
    lines.pop();
  }
  if (lines.length > 0 && closes(lines.at(-1), opened)) {
    lines.pop();
  }
  return { language: head.trim().slice(opened.length).trim(), code: lines.join('\n') };
}
