// What may be asked over the internet, one sign-in at a time: all that a person has to
// know, and the switch below it. Where the host stands in the sign-in, the switch has it
// read, and the question comes again with the host.
import { html, Component, createRef, names } from '../lib/render.js';
import { Latest, get, listen, post } from '../lib/server.js';
import { shown } from './hidden.js';

// Paragraphs are plain text; a character in it that turns others around is written out.
const Paragraphs = ({ id, of }) => html`<div class="wording" id=${id}>${of.map((text) => html`<p dir="auto">${shown(text)}</p>`)}</div>`;

const Place = ({ what, children }) => html`<div><dt>${what}</dt><dd dir="ltr">${children}</dd></div>`;

class SignIn extends Component {
  // offer is the question with the host, once that was asked for; wanted is where the
  // switch is put while that is on its way.
  state = { offer: null, busy: false, wanted: null, problem: '' };

  box = createRef();

  question = createRef();

  // act sends one thing at a time, and shows what comes of it.
  async act(path, body, wanted) {
    if (this.state.busy) {
      return;
    }
    this.setState({ busy: true, wanted, problem: '' });
    let offer = null;
    let problem = '';
    try {
      const answer = await post(path, { name: this.props.of.name, ...body });
      offer = answer?.host ? answer : null;
    } catch (refusal) {
      problem = refusal.message;
    }
    if (!offer) {
      await this.props.onChange();
    }
    this.show({ offer, busy: false, wanted: null, problem });
  }

  turn(on) {
    const { host } = this.props.of;
    if (!on) {
      return this.act('/api/cloud/deny', {}, false);
    }
    return host ? this.act('/api/cloud/allow', { host }, true) : this.ask();
  }

  ask() {
    return this.act('/api/cloud/offer', {}, null);
  }

  // show changes what is to be seen. Where that takes the place of what had the focus,
  // the focus goes along.
  show(state) {
    const before = this.state.offer;
    this.setState(state, () => before !== this.state.offer && (this.question.current ?? this.box.current).focus());
  }

  outcome({ allowed, failed, last, state }) {
    if (!allowed) {
      return null;
    }
    const moved = state === 'host_not_allowed';
    return html`<div class=${names('told', failed ? 'warn' : 'good')} role="status">
      <p>${failed ? shown(failed) : last ? `The last figures are of ${last}.` : 'Allowed. No figures have come yet.'}</p>
      ${failed && last && html`<p>The last figures are of ${last}.</p>`}
      ${moved && html`<button type="button" class="quiet small" disabled=${this.state.busy} onClick=${() => this.ask()}>Look at the host again</button>`}
    </div>`;
  }

  render({ of }, { offer, busy, wanted, problem }) {
    const id = `cloud-${of.name}`;
    const host = offer?.host ?? of.host;
    return html`<article class="sign-in" aria-labelledby="${id}-title">
      <h3 id="${id}-title">${shown(of.app)}</h3>
      <dl><${Place} what="Sign-in">${shown(of.file)}<//>
        <${Place} what="Host">${host ? shown(host) : html`<span class="unknown">the host that the sign-in names</span>`}<//></dl>
      <${Paragraphs} id="${id}-wording" of=${offer?.wording ?? of.wording} />
      ${offer
        ? html`<div class="question" role="group" aria-labelledby="${id}-question">
            <p id="${id}-question" tabindex="-1" ref=${this.question}>The sign-in is for <b dir="ltr">${shown(host)}</b>. May Windsock ask there?</p>
            <button type="button" class="primary" aria-describedby="${id}-wording" disabled=${busy} onClick=${() => this.act('/api/cloud/allow', { host }, null)}>Allow ${shown(host)}</button>
            <button type="button" class="quiet" disabled=${busy} onClick=${() => this.show({ offer: null })}>Cancel</button></div>`
        : html`<div class="field inline"><label for=${id}>Allow Windsock to ask ${of.host ? html`<bdi dir="ltr">${shown(of.host)}</bdi>` : 'the host that the sign-in names'}</label>
            <input type="checkbox" role="switch" class="switch" id=${id} ref=${this.box} aria-describedby="${id}-wording ${id}-help" checked=${wanted ?? of.allowed} aria-busy=${busy}
              onChange=${(e) => this.turn(e.target.checked)} />
            <p class="help" id="${id}-help">${of.host || of.allowed ? 'Takes effect at once. Off also forgets the last answer; the history of the figures stays.' : 'Windsock reads the host from the file first, and asks you again before anything is sent.'}</p></div>`}
      ${problem && html`<p class="told bad" role="alert">${shown(problem)}</p>`}
      ${!offer && this.outcome(of)}
    </article>`;
  }
}

export class Consent extends Component {
  state = { signIns: null, problem: '' };

  loads = new Latest();

  title = createRef();

  componentDidMount() {
    const ears = ['settings', 'usage'].map((name) => listen(name, () => this.load()));
    this.unlisten = () => ears.forEach((end) => end());
    this.load();
  }

  componentWillUnmount() {
    this.unlisten();
  }

  load() {
    return this.loads.take(
      get('/api/cloud'),
      ({ sign_ins: signIns }) => this.setState({ signIns, problem: '' }),
      (refusal) => this.setState({ problem: refusal.message }),
    );
  }

  // The focus comes here where that is wished, as soon as there is something to see.
  componentDidUpdate() {
    const { wish } = this.props;
    if (wish !== this.met && this.title.current) {
      this.met = wish;
      if (wish.part === 'cloud') {
        this.title.current.scrollIntoView();
        this.title.current.focus({ preventScroll: true });
      }
    }
  }

  render(_, { signIns, problem }) {
    if (!signIns?.length) {
      return problem && html`<p class="told bad" role="alert">${problem}</p>`;
    }
    const near = signIns.filter((s) => s.there || s.allowed);
    const far = signIns.filter((s) => !near.includes(s));
    return html`<section class="consent" aria-labelledby="consent-title">
      <h2 id="consent-title" tabindex="-1" ref=${this.title}>Figures without the editor</h2>
      <p class="intro">Windsock talks to programs on this computer only, unless you allow more here. Each sign-in is allowed by itself, for one host.</p>
      ${problem && html`<p class="told bad" role="alert">${problem}</p>`}
      ${near.map((s) => html`<${SignIn} key=${s.name} of=${s} onChange=${() => this.load()} />`)}
      ${near.length === 0 && html`<p class="empty">No sign-in that Windsock can use is on this computer.</p>`}
      ${far.length > 0 && html`<details class="far"><summary>Not on this computer</summary>
        <dl>${far.map((s) => html`<${Place} what=${shown(s.app)}>${shown(s.file)}<//>`)}</dl></details>`}
    </section>`;
  }
}
