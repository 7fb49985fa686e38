// The text box of a card whose conversation is open.
import { html, Component, createRef } from '../lib/render.js';
import { sendKeys } from '../lib/keys.js';
import { askFurther, endConversation, running } from '../lib/session.js';

export class Further extends Component {
  box = createRef();

  componentDidMount() {
    this.fit();
  }

  componentDidUpdate() {
    this.fit();
  }

  // A box that goes leaves the keyboard to the page's own one.
  componentWillUnmount() {
    if (this.box.current?.form.contains(document.activeElement)) {
      this.props.onGone();
    }
  }

  // fit makes the box as high as its text, up to what the style sheet allows.
  fit() {
    const box = this.box.current;
    box.style.height = 'auto';
    box.style.height = `${box.scrollHeight + 2}px`;
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
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) {
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
