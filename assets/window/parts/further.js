// The text box of a card whose conversation is open.
import { html, Component, createRef } from '../lib/render.js';
import { fit, sendKeys, sends } from '../lib/box.js';
import { askFurther, endConversation, running } from '../lib/session.js';

export class Further extends Component {
  box = createRef();

  componentDidMount() {
    fit(this.box.current);
  }

  componentDidUpdate() {
    fit(this.box.current);
  }

  // A box that goes leaves the keyboard to the page's own one.
  componentWillUnmount() {
    if (this.box.current?.form.contains(document.activeElement)) {
      this.props.onGone();
    }
  }

  sendable() {
    const { card } = this.props;
    return card.draft.trim() !== '' && !card.closing && !running();
  }

  send() {
    const { card } = this.props;
    if (!this.sendable()) {
      return;
    }
    const text = card.draft;
    card.draft = '';
    this.box.current.focus();
    askFurther(card, text);
  }

  key(event) {
    if (sends(event)) {
      event.preventDefault();
      this.send();
    }
  }

  render({ card }) {
    return html`<form class="further-box" autocomplete="off" onSubmit=${(e) => { e.preventDefault(); this.send(); }}>
      <textarea ref=${this.box} rows="1" autocomplete="off" aria-label="Ask further" title=${`${sendKeys} sends`} dir="auto"
        placeholder="Ask further, in this conversation" value=${card.draft}
        onInput=${(e) => { card.draft = e.target.value; this.setState({}); }} onKeyDown=${(e) => this.key(e)}></textarea>
      <button type="submit" class="quiet small" aria-disabled=${this.sendable() ? undefined : 'true'}>Ask further</button>
      <button type="button" class="quiet small" disabled=${card.closing} title="End this conversation"
        onClick=${() => endConversation(card)}>${card.closing ? 'Closing…' : 'Close'}</button>
    </form>`;
  }
}
