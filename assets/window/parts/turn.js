// The card of a conversation: a prompt with its answer, and the further ones below.
import { html, Component, names } from '../lib/render.js';
import { Exchange } from './exchange.js';
import { Further } from './further.js';
import { Picker } from './picker.js';
import { ask, imagesOf, running, session } from '../lib/session.js';

export class Turn extends Component {
  state = { asking: false };

  again() {
    const { turn } = this.props;
    if (this.state.asking) {
      return html`<${Picker} label="Ask again with" models=${session.models ?? []} value=${turn.model} open focus
        onPick=${(uid) => { this.setState({ asking: false }); ask(turn.prompt, uid, imagesOf(turn)); this.props.onAsked(); }}
        onClose=${() => this.setState({ asking: false })} />`;
    }
    return session.models && !running() && imagesOf(turn) && html`<button type="button" class="quiet small" onClick=${() => this.setState({ asking: true })}>Ask again with…</button>`;
  }

  render({ turn, open, onAsked }, { asking }) {
    const last = turn.further.at(-1) ?? turn;
    return html`<article class=${names('turn', last.state)} aria-label="Prompt and answer">
      <details open=${open}>
        <summary><span class="asked" dir="auto">${turn.prompt}</span>${turn.images > 0 && html`<span class="counted">${turn.images === 1 ? '1 image' : `${turn.images} images`}</span>`}</summary>
        <${Exchange} turn=${turn} alone=${asking}>${this.again()}<//>
        ${turn.further.map((t) => html`<section key=${t.key} class=${names('further', t.state)} aria-label="Further prompt and answer">
          <p class="asked" dir="auto">${t.prompt}</p>
          <${Exchange} turn=${t} />
        </section>`)}
        ${turn.open ? html`<${Further} card=${turn} onGone=${onAsked} />` : turn.closed && html`<p class="told closed" role="status">${turn.closed}</p>`}
      </details>
    </article>`;
  }
}
