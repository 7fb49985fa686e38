// The text of an answer as it streams. A frame draws at most once, and only the
// blocks that changed: what stands keeps its place, its selection and its focus.
import { html, Component, createRef } from './render.js';
import { blocks, draw } from './markdown.js';
import { dress } from './code.js';

export class Answer extends Component {
  place = createRef();

  drawn = []; // {key, element} for each block there is

  // A text that takes long to draw is drawn less often, so that there is time for
  // everything else.
  rest = 0;

  componentDidMount() {
    this.props.turn.redraw = () => this.soon();
    this.place.current.addEventListener('click', follow);
    this.place.current.addEventListener('keydown', follow);
    this.now();
  }

  componentWillUnmount() {
    cancelAnimationFrame(this.frame);
    this.props.turn.redraw = () => {};
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
      const start = performance.now();
      this.now();
      this.rest = start + 3 * (performance.now() - start);
    });
  }

  now() {
    const place = this.place.current;
    const wanted = blocks(this.props.turn.text);
    wanted.forEach((block, i) => {
      if (this.drawn[i]?.key === block.key) {
        return;
      }
      const element = document.createElement('div');
      element.append(draw(block));
      dress(element);
      if (this.drawn[i]) {
        this.drawn[i].element.replaceWith(element);
      } else {
        place.append(element);
      }
      this.drawn[i] = { key: block.key, element };
    });
    this.drawn.splice(wanted.length).forEach(({ element }) => element.remove());
    performance.mark('windsock-drawn');
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
