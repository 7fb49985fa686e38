// The choice of a model: a combobox that is searched by typing. The list is the
// pattern "editable combobox with list autocomplete" of the ARIA practices.
import { html, Component, createRef, freshID, names } from '../lib/render.js';

// found are the models that have every word in their name.
function found(models, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return models
    .filter((m) => words.every((word) => `${m.label} ${m.uid}`.toLowerCase().includes(word)))
    .sort((a, b) => a.disabled - b.disabled);
}

export class Picker extends Component {
  id = freshID('models');

  input = createRef();

  list = createRef();

  constructor(props) {
    super(props);
    this.state = { open: Boolean(props.open), text: '', at: -1 };
  }

  componentDidMount() {
    if (this.props.focus) {
      this.input.current.focus();
      this.open();
    }
  }

  componentDidUpdate() {
    this.list.current?.children[this.state.at]?.scrollIntoView({ block: 'nearest' });
  }

  shown() {
    return found(this.props.models, this.state.text);
  }

  open() {
    if (this.props.disabled) {
      return;
    }
    const at = found(this.props.models, '').findIndex((m) => m.uid === this.props.value);
    this.setState({ open: true, text: '', at });
  }

  close() {
    this.setState({ open: false, text: '' });
    this.props.onClose?.();
  }

  pick(model) {
    if (!model || model.disabled) {
      return;
    }
    this.setState({ open: false, text: '' });
    this.props.onPick(model.uid);
  }

  search(text) {
    const list = found(this.props.models, text);
    this.setState({ open: true, text, at: list.findIndex((m) => !m.disabled) });
  }

  // move goes to the next model, past the ends to the other one.
  move(by) {
    const list = this.shown();
    if (list.length > 0) {
      this.setState({ at: this.state.at < 0 && by < 0 ? list.length - 1 : (this.state.at + by + list.length) % list.length });
    }
  }

  key(event) {
    const { open, at } = this.state;
    if (event.ctrlKey || event.metaKey) {
      return;
    }
    const keys = {
      ArrowDown: () => (open ? this.move(1) : this.open()),
      ArrowUp: () => (open ? this.move(-1) : this.open()),
      Home: open && (() => this.setState({ at: 0 })),
      End: open && (() => this.setState({ at: this.shown().length - 1 })),
      Enter: () => (open ? this.pick(this.shown()[at]) : this.open()),
      Escape: open && (() => this.close()),
    };
    if (keys[event.key]) {
      event.preventDefault();
      event.stopPropagation();
      keys[event.key]();
    }
  }

  render({ models, value, label, disabled, empty }, { open, text, at }) {
    const chosen = models.find((m) => m.uid === value);
    const list = open ? this.shown() : [];
    return html`<div class="picker">
      <input ref=${this.input} type="text" role="combobox" aria-label=${label} aria-autocomplete="list" aria-haspopup="listbox"
        aria-expanded=${String(open)} aria-controls=${this.id} aria-activedescendant=${open && at >= 0 && list[at] ? `${this.id}-${at}` : undefined}
        autocomplete="off" autocapitalize="off" spellcheck=${false} disabled=${disabled}
        placeholder=${open ? chosen?.label ?? 'Search models' : empty ?? 'Choose a model'}
        value=${open ? text : chosen?.label ?? ''}
        onFocus=${(e) => e.target.select()} onMouseDown=${() => !open && this.open()} onInput=${(e) => this.search(e.target.value)}
        onKeyDown=${(e) => this.key(e)} onBlur=${() => open && this.close()} />
      ${!open && chosen && html`<span class="picker-price" aria-hidden="true">${chosen.price}</span>`}
      <ul id=${this.id} role="listbox" aria-label="Models" ref=${this.list} hidden=${!open} onMouseDown=${(e) => e.preventDefault()}>
        ${list.map((m, i) => html`<li key=${m.uid} id="${this.id}-${i}" role="option" aria-selected=${String(m.uid === value)}
            aria-disabled=${m.disabled ? 'true' : undefined} class=${names(i === at && 'at')} onClick=${() => this.pick(m)}>
          <span class="model">${m.label}${m.new && html` <span class="badge">new</span>`}${m.default && html` <span class="badge faint">default</span>`}</span>
          <span class="price">${m.price}</span>
          ${m.disabled && html`<span class="why">${m.disabled_reason || 'Not in your plan.'}</span>`}
        </li>`)}
      </ul>
      ${open && list.length === 0 && html`<p class="picker-none" role="status">No model has that in its name.</p>`}
    </div>`;
  }
}
