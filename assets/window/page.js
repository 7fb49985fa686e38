// The frame of the window: what the plan has left, the four views, and how the
// program behind it does.
import { html, render, Component, names } from './lib/render.js';
import { connect, get, listen, post } from './lib/server.js';
import { loadModels } from './lib/models.js';
import { handOver, takeOver } from './lib/session.js';
import { Prompt } from './views/prompt.js';
import { loadAnswer } from './parts/exchange.js';
import { clock } from './lib/words.js';

const views = [
  { name: 'prompt', label: 'Prompt' },
  { name: 'usage', label: 'Usage', load: () => import('./views/usage.js').then((m) => m.Usage) },
  { name: 'cascades', label: 'Cascades', load: () => import('./views/cascades.js').then((m) => m.Cascades) },
  { name: 'settings', label: 'Settings', load: () => import('./views/settings.js').then((m) => m.Settings) },
];

// marks say how grave a line is without a colour.
const marks = { low: '▲ ', critical: '▲ ' };

const Line = ({ line, of }) => html`<li class=${names('line', line.level)}>
  ${of && html`<span class="of">${of}</span>`}
  <span class="figure">${marks[line.level] ?? ''}${line.text}</span>
  ${line.under && html`<span class="under">${line.under}</span>`}
</li>`;

// Left has all lines of the leading plan, which comes first, and one of each other.
const Left = ({ plans, old }) => {
  const [lead, ...others] = plans;
  return html`<ul class=${names('left', old && 'old')} aria-label=${old ? 'What the plan had left' : 'What the plan has left'}>
    ${lead?.heading && html`<li class="heading">${lead.heading}</li>`}
    ${lead?.lines.map((line) => html`<${Line} line=${line} />`)}
    ${others.map((plan) => html`<${Line} key=${plan.name} line=${{ ...plan.short, under: '' }} of=${plan.heading} />`)}
  </ul>`;
};

// linkTold is what to say of the link to the program where it is not up.
function linkTold(link, demo) {
  const command = demo ? 'windsock demo prompt' : 'windsock prompt';
  switch (link) {
    case 'down': return 'Windsock does not answer. Trying again…';
    case 'gone': return `Windsock has ended. Copy what you need from this page, then start Windsock again, or run “${command}” for a new window.`;
    case 'ended': return `This window’s session is over. Copy what you need from this page, then open a new window from the tray, or with “${command}”.`;
    default: return '';
  }
}

// partOf are the view and the part of it that a place has.
const partOf = (place) => (place || 'prompt').split('#');

class Page extends Component {
  constructor({ hello }) {
    super();
    // wish is where the focus is to go: a new object for each time.
    const [view, part] = partOf(hello.view);
    this.state = { view, wish: { part }, plans: hello.plans ?? [], link: 'up', loaded: { prompt: Prompt } };
  }

  componentDidMount() {
    listen('usage', ({ plans, twelve_hour: twelveHour }) => {
      clock.twelveHour = twelveHour;
      this.setState({ plans });
    });
    listen('view', ({ view }) => {
      this.show(view);
      raise();
    });
    listen('moved', ({ page }) => page === me && close());
    listen('link', (link) => this.setState({ link }));
    this.show(this.props.hello.view);
    addEventListener('keydown', (event) => {
      const view = views[Number(event.code?.replace('Digit', '')) - 1];
      if (view && event.altKey && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        this.show(view.name);
      }
    });
    addEventListener('focus', () => {
      if (document.activeElement === document.body) {
        this.setState({ wish: {} });
      }
    });
  }

  // show goes to a view, or to a part of one.
  async show(place) {
    const [name, part] = partOf(place);
    const view = views.find((v) => v.name === name);
    if (!view) {
      return;
    }
    this.wanted = name;
    if (!this.state.loaded[name]) {
      const made = await view.load();
      this.setState(({ loaded }) => ({ loaded: { ...loaded, [name]: made } }));
    }
    if (this.wanted === name) {
      this.setState({ view: name, wish: { part } });
    }
  }

  render({ hello }, { view, wish, plans, link, loaded }) {
    const View = loaded[view];
    const told = linkTold(link, hello.demo);
    // What was told of the editor may be otherwise by now, and its figures stand still.
    const over = link === 'gone' || link === 'ended';
    const shown = over ? plans.map((plan) => ({ ...plan, lines: plan.lines.filter((line) => line.meter) })) : plans;
    return html`
      <header class="top">
        <nav aria-label="Views">
          ${views.map((v, i) => html`<button type="button" title="Alt+${i + 1}" aria-current=${v.name === view ? 'page' : undefined}
            onClick=${() => this.show(v.name)}>${v.label}</button>`)}
          ${hello.demo && html`<span class="badge demo">Demo</span>`}
        </nav>
        <${Left} plans=${shown} old=${over} />
        ${told && html`<p class="link-told" role="alert">${told}</p>`}
      </header>
      <main>
        <h1 class="unseen">${views.find((v) => v.name === view).label}</h1>
        ${View && html`<${View} wish=${wish} plans=${shown} hello=${hello} />`}
      </main>`;
  }
}

const me = crypto.getRandomValues(new Uint32Array(3)).join('-'); // this page's name

// raise comes to the front, as far as a page may. Where it may not, the program
// opens a window that does, which goes on where this one is. A page that is not to
// be seen has slow timers, and waits for none.
async function raise() {
  focus();
  if (!document.hidden && !document.hasFocus()) {
    await new Promise((done) => setTimeout(done, 100));
  }
  const focused = document.hasFocus();
  const answer = focused ? { focused } : { focused, state: { page: me, ...await handOver() } };
  post('/api/raised', answer).catch(() => {}); // the link's line tells; and this page stays
}

const hello = get('/api/hello'); // which index.html has asked for already
loadModels();
hello.then(
  (answer) => {
    clock.twelveHour = answer.twelve_hour;
    takeOver(answer.state ?? {});
    render(html`<${Page} hello=${answer} />`, document.getElementById('page'));
    connect(answer.state && { from: answer.state.page, after: answer.state.after });
    setTimeout(loadAnswer, 50); // once the text box is there
  },
  (refusal) => render(html`<main class="boot"><p role="alert">${refusal.message}</p></main>`, document.getElementById('page')),
);
