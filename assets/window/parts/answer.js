// The text of an answer as it streams. A frame draws at most once, and only the
// blocks that changed: what stands keeps its place, its selection and its focus.
import { html, Component, createRef } from '../lib/render.js';
import { onText } from '../lib/session.js';
import { Blocks } from './blocks.js';
import { draw } from './markdown.js';
import { dress } from './code.js';
import { plain, show } from './hidden.js';

// slice is for how long blocks are drawn, in ms, until everything else has its turn.
const slice = 30;

export class Answer extends Component {
  place = createRef();

  blocks = new Blocks();

  references = Object.create(null); // the addresses that links name, of the whole text

  known = 0; // of them

  drawn = []; // {block, known, element} for each block there is

  // A text that takes long to draw is drawn less often, so that there is time for
  // everything else.
  rest = 0;

  componentDidMount() {
    onText(this.props.turn, () => this.soon());
    this.place.current.addEventListener('click', follow);
    this.place.current.addEventListener('keydown', follow);
    this.now();
  }

  componentWillUnmount() {
    cancelAnimationFrame(this.frame);
    onText(this.props.turn, null);
  }

  shouldComponentUpdate() {
    return false;
  }

  soon() {
    if (this.frame) {
      return;
    }
    this.frame = requestAnimationFrame((at) => {
      this.frame = 0;
      if (at < this.rest && this.props.turn.state === 'runs') {
        this.soon();
        return;
      }
      this.now();
    });
  }

  now() {
    const start = performance.now();
    const place = this.place.current;
    const over = this.props.turn.state !== 'runs';
    const wanted = this.blocks.read(this.props.turn.text);
    this.drawn.splice(wanted.length).forEach(({ element }) => element.remove());
    const { known } = this;
    let some = false;
    for (let i = 0; i < wanted.length; i++) {
      if (this.stands(this.drawn[i], wanted[i], over)) {
        continue;
      }
      if (some && performance.now() - start > slice) {
        this.soon();
        break;
      }
      some = true;
      const element = this.make(wanted[i]);
      if (this.drawn[i]) {
        this.drawn[i].element.replaceWith(element);
      } else {
        place.append(element);
      }
      this.known = Object.keys(this.references).length;
      this.drawn[i] = { block: wanted[i], known: this.known, element };
    }
    if (over && known !== this.known) {
      this.soon(); // for the links that stand before their addresses
    }
    performance.mark('windsock-drawn');
    place.getBoundingClientRect(); // so that the time for the layout counts, too
    this.rest = start + 3 * (performance.now() - start);
  }

  // stands reports whether a block needs no drawing. An address that came after a
  // block that may name it is put in when the answer is over.
  stands(drawn, block, over) {
    return drawn !== undefined && (drawn.block === block || (drawn.block.text === block.text && drawn.block.plain === block.plain))
      && !(over && drawn.known !== this.known && block.text.includes('['));
  }

  // make draws a block. One that fails is shown as it was written.
  make(block) {
    let element = document.createElement('div');
    try {
      element.append(draw(block, this.references));
      dress(element);
    } catch {
      element = document.createElement('div');
      element.append(plain(block.text));
    }
    show(element);
    if (block.first) {
      const note = document.createElement('p');
      note.className = 'told';
      note.textContent = 'This is a very long answer. From here on it is shown as it was written.';
      element.prepend(note);
    }
    return element;
  }

  render() {
    return html`<div class="answer" dir="auto" ref=${this.place}></div>`;
  }
}

// follow opens a link's address in a window that knows nothing of this one.
function follow(event) {
  const link = event.target.closest?.('[data-address]');
  if (!link || (event.type === 'keydown' && event.key !== 'Enter')) {
    return;
  }
  event.preventDefault();
  window.open(link.dataset.address, '_blank', 'noopener,noreferrer');
}
