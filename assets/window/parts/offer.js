// The offer of an agent where the editor has no Cascade any more. Nothing is chosen
// until a person presses one of the two buttons.
import { html, Component } from '../lib/render.js';
import { chooseEngine } from '../lib/models.js';

export class Offer extends Component {
  state = { busy: false, problem: '' };

  async choose(engine) {
    this.setState({ busy: true, problem: '' });
    const problem = await chooseEngine(engine);
    this.setState({ busy: false, problem });
    if (!problem) {
      this.props.onChosen();
    }
  }

  render({ offer }, { busy, problem }) {
    return html`<section class="offer" aria-labelledby="offer-title">
      <h2 id="offer-title">Use ${offer.name}?</h2>
      ${offer.words.map((text) => html`<p>${text}</p>`)}
      ${problem && html`<p class="told bad" role="alert">${problem}</p>`}
      <p class="decision">
        <button type="button" class="primary" disabled=${busy} onClick=${() => this.choose(offer.engine)}>Use ${offer.name}</button>
        <button type="button" class="quiet" disabled=${busy} onClick=${() => this.choose('cascade')}>Not now</button>
        <span class="faint">Your choice is kept as chat.engine in the settings, where you can change it.</span>
      </p>
    </section>`;
  }
}
