// Where it went: what a plan was spent on, by model, workspace, cascade or day. The
// server words and adds up; this part asks, narrows and draws.
import { html, Component, createRef, names } from '../lib/render.js';
import { Latest, get, listen, post, query } from '../lib/server.js';
import { Again, Choice } from './controls.js';
import { shown } from './hidden.js';

const ways = { model: 'Model', workspace: 'Workspace', cascade: 'Cascade', day: 'Day' };
const times = { '7d': '7 days', '30d': '30 days', cycle: 'This cycle', '90d': '90 days' };

// below is what a row is looked at by once it is chosen, the most telling way first.
const below = { model: ['cascade', 'day', 'workspace'], workspace: ['cascade', 'model', 'day'], cascade: ['model', 'day'], day: ['cascade', 'model', 'workspace'] };

// few is how many rows are shown before a person asks for all.
const few = 20;

// patience is how long a reading goes on before it is told of, in ms: most are over
// at once.
const patience = 400;

const Cell = ({ text }) => (text === null
  ? html`<td class="number faint" title="Not known"><span aria-hidden="true">–</span><span class="unseen">not known</span></td>`
  : html`<td class="number">${text}</td>`);

export class Spend extends Component {
  reports = new Latest();

  title = createRef();

  // shown is what the report was asked for, which may be another than is chosen by now.
  state = { by: 'model', range: '7d', only: [], report: null, shown: null, problem: '', all: false, reading: null, late: false };

  componentDidMount() {
    const look = () => !document.hidden && this.read();
    document.addEventListener('visibilitychange', look);
    this.leave = [
      listen('spend', (event) => this.hear(event)),
      listen('usage', look),
      listen('ask', ({ kind }) => (kind === 'done' || kind === 'failed') && look()), // it has spent, and kept others from reading
      () => document.removeEventListener('visibilitychange', look),
      () => clearTimeout(this.waiting),
    ];
    this.load({}, true);
  }

  componentDidUpdate({ plan }) {
    if (plan !== this.props.plan) {
      this.load({ only: [] }, true);
    }
    if (this.wish) {
      const element = this.title.current?.parentElement.querySelector(this.wish) ?? this.title.current;
      this.wish = '';
      element?.focus();
    }
  }

  componentWillUnmount() {
    this.leave.forEach((end) => end());
    this.reports.drop();
  }

  asked({ plan, by, range, only }) {
    return query({ ...(plan && { plan }), by, range, ...Object.fromEntries(only.map((one) => [one.by, one.key])) });
  }

  // load shows what is kept; read then has what is new read.
  load(change, read) {
    const { by, range, only } = { ...this.state, ...change };
    const shown = { plan: this.props.plan, by, range, only };
    this.setState(change);
    this.reports.take(
      get(`/api/usage/spend?${this.asked(shown)}`),
      (report) => {
        this.setState({ report, shown, problem: '' });
        this.follow(report.reading);
        if (read) {
          this.read(report);
        }
      },
      (refusal) => this.setState({ problem: refusal.message }),
    );
  }

  // read has the server read what is new. One reading runs at a time; where it is
  // another plan's, this one's turn comes after it.
  async read(report = this.state.report) {
    if (!report || report.untold) {
      return;
    }
    try {
      const { plan } = await post('/api/usage/spend/read', { plan: report.plan });
      this.behind = plan !== report.plan;
    } catch (refusal) {
      this.setState({ problem: refusal.message });
    }
  }

  hear({ reading }) {
    if (reading) {
      this.follow(reading);
      return;
    }
    const again = this.behind;
    this.behind = false;
    this.load({}, again);
  }

  // follow shows how far a reading is once it has taken its time.
  follow(reading) {
    this.setState({ reading });
    if (!reading) {
      clearTimeout(this.waiting);
      this.waiting = undefined;
      this.setState({ late: false });
    } else {
      this.waiting ??= setTimeout(() => this.setState({ late: true }), patience);
    }
  }

  choose(by) {
    this.load({ by, all: false, only: this.state.only.filter((one) => one.by !== by) });
  }

  // next is the way to look at a chosen row by; none where all are used.
  next() {
    const { by, only } = this.state.shown;
    return below[by].find((way) => !only.some((one) => one.by === way));
  }

  narrow({ key, label }) {
    const { by, only } = this.state.shown;
    this.wish = '.chips li:last-child button';
    this.load({ by: this.next(), all: false, only: [...only, { by, key, label }] });
  }

  widen(one) {
    this.wish = '.chips button';
    this.load({ all: false, only: this.state.only.filter((other) => other !== one) });
  }

  row({ key, label, share, cells, note }, next) {
    const name = html`<bdi>${shown(label)}</bdi>`;
    // A mouse that has marked a figure did not choose the row.
    const choose = ({ detail }) => (detail === 0 || getSelection().isCollapsed) && this.narrow({ key, label });
    return html`<tr key=${key} class=${names(next && 'opens')} onClick=${next && choose}>
      <th scope="row">
        ${next ? html`<button type="button" class="link" title=${`Only this ${ways[this.state.shown.by].toLowerCase()}, by ${next}`}>${name}</button>` : name}
        ${share > 0 && html`<span class="share" aria-hidden="true"><i style=${{ width: `max(2px, ${share}%)` }}></i></span>`}
        ${note && html`<span class="under">${note}</span>`}
      </th>
      ${cells.map((text) => html`<${Cell} text=${text} />`)}
    </tr>`;
  }

  table({ columns, rows, total }) {
    const { shown: { by }, all } = this.state;
    const next = this.next();
    const list = all ? rows : rows.slice(0, few);
    return html`<div class="wide" tabindex="0" role="group" aria-label="Where it went, in figures"><table class="spent">
      <thead><tr><th scope="col">${ways[by]}</th>${columns.map((label) => html`<th scope="col" class="number">${label}</th>`)}</tr></thead>
      <tbody>${list.map((row) => this.row(row, next))}</tbody>
      <tfoot><tr><th scope="row">Total</th>${total.map((text) => html`<${Cell} text=${text} />`)}</tr></tfoot>
    </table></div>
    ${list.length < rows.length && html`<button type="button" class="quiet small" onClick=${() => this.setState({ all: true })}>Show all ${rows.length}</button>`}`;
  }

  report(report) {
    const { only, shown: asked, reading, late } = this.state;
    return html`
      ${report.problem && html`<p class="told warn" role="status">${report.problem} <${Again} onClick=${() => this.read()} /></p>`}
      ${reading && late && html`<div class="progress"><progress max=${reading.total || 1} value=${reading.done} aria-label="Reading what is new"></progress>
        <p role="status">Reading what is new${reading.total > 0 && `: ${reading.done} of ${reading.total}`}</p></div>`}
      ${report.notes.length > 0 && html`<div class="told">${report.notes.map((note) => html`<p>${shown(note)}</p>`)}<${Again} onClick=${() => this.read()} /></div>`}
      ${only.length > 0 && html`<ul class="chips" aria-label="Only">${only.map((one) => html`<li key=${one.by}>
        <button type="button" class="quiet small" onClick=${() => this.widen(one)}><span class="unseen">Remove: </span>${ways[one.by]}: <bdi>${shown(one.label)}</bdi> <span aria-hidden="true">×</span></button></li>`)}</ul>`}
      ${report.rows.length > 0 ? this.table(report) : html`<p class="empty">${report.empty}</p>`}
      <div class="sums" role="status">${report.words.map((text) => html`<p>${shown(text)}</p>`)}</div>
      ${report.rows.length > 0 && html`<p class="aside"><a href="/api/usage/spend.csv?${this.asked(asked)}" download="windsock-spend.csv">Save these figures as CSV</a></p>`}`;
  }

  render({ plans }, { by, range, report, problem }) {
    const heading = plans.find(({ name }) => name === report?.plan)?.heading;
    return html`<section class="spend" aria-labelledby="spend-title">
      <h2 id="spend-title" tabindex="-1" ref=${this.title}>Where it went${heading && html`<span class="faint">: ${heading}</span>`}</h2>
      ${report?.untold ? html`<p class="told">${report.untold}</p>` : html`
        <div class="controls">
          <${Choice} legend="By" name="spend-by" options=${Object.entries(ways)} chosen=${by} choose=${(way) => this.choose(way)} />
          <${Choice} legend="Time" name="spend-range" options=${Object.entries(times).filter(([time]) => time !== 'cycle' || report?.cycle)} chosen=${range}
            choose=${(time) => this.load({ range: time, all: false })} />
        </div>
        ${problem && html`<p class="told bad" role="alert">${problem} <${Again} onClick=${() => this.load({}, true)} /></p>`}
        ${report && this.report(report)}`}
    </section>`;
  }
}
