// The images of a prompt that is being written, each with its size and a way to remove it.
import { html, Component, createRef } from '../lib/render.js';
import { edge, size } from '../lib/images.js';

// Thumbnail draws on a canvas: the page's policy lets no image in that is not the server's.
class Thumbnail extends Component {
  canvas = createRef();

  componentDidMount() {
    const { picture } = this.props;
    this.canvas.current.getContext('2d').drawImage(picture, (edge - picture.width) / 2, (edge - picture.height) / 2);
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
