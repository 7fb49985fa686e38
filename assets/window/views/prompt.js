// The prompt view: a text box, the model, and the answers of this session.
import { html, Component, createRef } from '../lib/render.js';
import { Again } from '../parts/controls.js';
import { Picker } from '../parts/picker.js';
import { Turn } from '../parts/turn.js';
import { Images } from '../parts/images.js';
import { Offer } from '../parts/offer.js';
import { hasFiles } from '../lib/images.js';
import { fit, sendKeys, sends } from '../lib/box.js';
import { askable, choose, engineTold, loadModels } from '../lib/models.js';
import { addImages, ask, latest, removeImage, running, session, stop, watch } from '../lib/session.js';

// progress tells a screen reader when an answer begins and ends. The text in between is
// there to be read, and not to be read out in pieces.
function progress(turn) {
  switch (turn?.state) {
    case 'runs': return turn.text ? `${turn.label} answers.` : `Asking ${turn.label}.`;
    case 'done': return `The answer is complete, ${turn.answer.took}, ${turn.answer.cost}.`;
    case 'stopped': return 'Stopped.';
    default: return ''; // a failure is an alert of its own
  }
}

export class Prompt extends Component {
  box = createRef();

  // back is how many prompts the arrow keys went back; before is what stood there.
  back = 0;

  before = '';

  componentDidMount() {
    this.unwatch = watch(() => this.setState({}));
    fit(this.box.current);
    this.focus();
  }

  componentDidUpdate({ wish }) {
    fit(this.box.current);
    if (wish !== this.props.wish) {
      this.focus();
    }
  }

  componentWillUnmount() {
    this.unwatch();
  }

  focus() {
    this.box.current?.focus();
  }

  write(text) {
    session.draft = text;
    this.setState({}, () => this.box.current.setSelectionRange(text.length, text.length));
  }

  async send() {
    const text = session.draft;
    if (!this.sendable()) {
      return;
    }
    this.back = 0;
    const { images } = session;
    Object.assign(session, { images: [], imagesError: '' });
    this.write('');
    this.focus();
    await ask(text, session.model, images);
  }

  sendable() {
    return session.draft.trim() !== '' && session.adding === 0 && !running() && askable();
  }

  // recall goes through the prompts of this session, from the first line up and
  // from the last one down.
  recall(by) {
    const past = [...new Set(session.turns.map((turn) => turn.prompt))];
    const to = Math.min(past.length, Math.max(0, this.back + by));
    if (to === this.back) {
      return false;
    }
    if (this.back === 0) {
      this.before = session.draft;
    }
    this.back = to;
    this.write(to === 0 ? this.before : past[to - 1]);
    return true;
  }

  key(event) {
    const box = event.target;
    const { key } = event;
    const bare = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey && !event.isComposing;
    if (sends(event)) {
      event.preventDefault();
      this.send();
    } else if (bare && key === 'ArrowUp' && !box.value.slice(0, box.selectionStart).includes('\n')) {
      if (this.recall(1)) {
        event.preventDefault();
      }
    } else if (bare && key === 'ArrowDown' && this.back > 0 && !box.value.slice(box.selectionEnd).includes('\n')) {
      this.recall(-1);
      event.preventDefault();
    }
  }

  // take takes images that are pasted or dropped.
  take(event, transfer) {
    if (hasFiles(transfer)) {
      event.preventDefault();
      addImages([...transfer.files]);
    }
  }

  // over lets files be dropped; what they are is told when they are. Beside the text box, too:
  // else the browser would show the file in place of this page.
  over(event) {
    if (hasFiles(event.dataTransfer)) {
      event.preventDefault();
    }
  }

  escape(event) {
    const turn = running();
    if (event.key === 'Escape' && turn && !event.defaultPrevented) {
      event.preventDefault();
      stop(turn);
    }
  }

  render() {
    const turn = running();
    return html`<section class="prompt" aria-label="Prompt" onKeyDown=${(e) => this.escape(e)}
      onDragOver=${(e) => this.over(e)} onDrop=${(e) => this.take(e, e.dataTransfer)}>
      <form class="composer" autocomplete="off"
        onPaste=${(e) => this.take(e, e.clipboardData)} onSubmit=${(e) => { e.preventDefault(); this.send(); }}>
        <textarea ref=${this.box} id="prompt-text" rows="2" autocomplete="off" autofocus aria-label="Prompt" dir="auto"
          placeholder="Ask anything. Every prompt stands by itself." aria-describedby="prompt-keys"
          value=${session.draft} onInput=${(e) => { session.draft = e.target.value; this.back = 0; this.setState({}); }}
          onKeyDown=${(e) => this.key(e)}></textarea>
        ${session.images.length > 0 && html`<${Images} images=${session.images} onRemove=${(image) => { removeImage(image); this.focus(); }} />`}
        ${session.imagesError && html`<p class="told bad" role="alert">${session.imagesError}</p>`}
        <div class="controls">
          <${Picker} label="Model" models=${session.models ?? []} value=${session.model} disabled=${!session.models || session.unlisted}
            empty=${session.unlisted ? 'The agent’s own choice' : undefined}
            onPick=${(uid) => { choose(uid); this.focus(); }} />
          <span class="keys" id="prompt-keys"><kbd>${sendKeys}</kbd> sends${turn ? html`, <kbd>Esc</kbd> stops` : ''}</span>
          ${turn
            ? html`<button key="stop" type="button" class="stop" disabled=${turn.stopping} onClick=${() => { stop(turn); this.focus(); }}>Stop</button>`
            : html`<button key="send" type="submit" class="primary" aria-disabled=${this.sendable() ? undefined : 'true'}>Send</button>`}
        </div>
        ${session.modelsError && html`<p class="told bad" role="alert">${session.modelsError}
          <${Again} onClick=${() => loadModels({ start: session.unlisted })} /></p>`}
        ${engineTold() && html`<p class="engine">${engineTold()}${session.unlisted && html` Its models are known with the first answer.
          <button type="button" class="quiet small" disabled=${session.listing || running()} onClick=${() => loadModels({ start: true })}>${session.listing
            ? 'Starting it…' : 'Start it and list them'}</button>`}</p>`}
        ${session.models && !session.model && !session.unlisted && html`<p class="told">Choose a model: the plan has no default.</p>`}
      </form>
      ${session.offer && html`<${Offer} offer=${session.offer} onChosen=${() => this.focus()} />`}
      <p class="unseen" role="status">${progress(latest())}</p>
      ${session.turns.map((t, i) => html`<${Turn} key=${t.key} turn=${t} open=${i === 0} onAsked=${() => this.focus()} />`)}
    </section>`;
  }
}
