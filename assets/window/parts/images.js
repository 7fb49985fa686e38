// The images of a prompt that is being written, each with its size and a way to remove it.
import { html, Component, createRef } from '../lib/render.js';
import { size } from '../lib/images.js';

const edge = 64; // of a thumbnail, in pixels of the canvas

// Thumbnail draws on a canvas: the page's policy lets no image in that is not the server's.
class Thumbnail extends Component {
  canvas = createRef();

  componentDidMount() {
    const { picture } = this.props;
    const scale = edge / Math.max(picture.width, picture.height);
    const [width, height] = [picture.width * scale, picture.height * scale];
    this.canvas.current.getContext('2d').drawImage(picture, (edge - width) / 2, (edge - height) / 2, width, height);
  }

  render() {
    return html`<canvas ref=${this.canvas} width=${edge} height=${edge} aria-hidden="true"></canvas>`;
  }
}

export function Images({ images, onRemove }) {
  return html`<ul class="images" aria-label="Images">
    ${images.map((image, i) => html`<li key=${image.key}>
      <${Thumbnail} picture=${image.picture} /><span>${size(image.size)}</span>
      <button type="button" class="quiet small" aria-label=${`Remove image ${i + 1}`} onClick=${() => onRemove(image)}>Remove</button>
    </li>`)}
  </ul>`;
}
