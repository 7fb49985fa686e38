// The usage view: each meter with its pace in words, the chart of its cycle, what was
// used each day, and where it went.
import { html, Component, names } from '../lib/render.js';
import { Latest, get, listen, query } from '../lib/server.js';
import { figure } from '../lib/words.js';
import { Chart } from '../parts/chart.js';
import { Again, Choice } from '../parts/controls.js';
import { Days } from '../parts/days.js';
import { Spend } from '../parts/spend.js';

const ranges = [['cycle', 'This cycle'], ['7d', '7 days'], ['30d', '30 days'], ['90d', '90 days'], ['1y', 'One year']];

const Meter = ({ line: { text, under, left, level } }) => html`<li class=${names('meter', level)}>
  <p class="meter-text">${text}</p>
  ${left !== null && html`<div class="bar" role="img" aria-label="${figure(left)} % left"><span style=${{ width: `${left}%` }}></span></div>`}
  ${under && html`<p class="under">${under}</p>`}
</li>`;

const Table = ({ caption, head, children }) => html`<table>
  <caption>${caption}</caption>
  <thead><tr>${head.map((text, i) => html`<th scope="col" class=${i ? 'number' : ''}>${text}</th>`)}</tr></thead>
  <tbody>${children}</tbody>
</table>`;

const Figures = ({ chart }) => html`<details class="figures"><summary>The figures in tables</summary>
  ${chart.forecast && html`<${Table} caption="Forecast" head=${['Case', 'Used']}>
    ${chart.forecast.cases.map((row) => html`<tr><th scope="row">${row.case}</th><td class="number">${row.ends}</td></tr>`)}
  </${Table}>`}
  ${chart.past.length > 0 && html`<${Table} caption="Past windows" head=${['Until', 'Used']}>
    ${[...chart.past].reverse().map(({ until, used }) => html`<tr><th scope="row">${until}</th><td class="number">${used}</td></tr>`)}
  </${Table}>`}
  <${Table} caption="Used over time" head=${['At', 'Used']}>
    ${chart.last.map(({ at, used }) => html`<tr><th scope="row">${at}</th><td class="number">${used}</td></tr>`)}
  </${Table}>
  <${Table} caption="Used each day" head=${['Day', 'Used']}>
    ${[...chart.days].reverse().map(({ day, words }) => html`<tr><th scope="row">${day}</th><td class="number">${words}</td></tr>`)}
  </${Table}>
</details>`;

export class Usage extends Component {
  charts = new Latest();

  state = { plan: this.props.wish.part ?? '', meter: '', range: 'cycle', past: false, chart: null, problem: '' };

  componentDidMount() {
    this.unlisten = listen('usage', () => this.load());
    this.load();
  }

  componentDidUpdate({ wish }) {
    if (wish !== this.props.wish && this.props.wish.part) {
      this.load({ plan: this.props.wish.part, meter: '' });
    }
  }

  componentWillUnmount() {
    this.unlisten();
  }

  load(change = {}) {
    const { plan, meter, range, past } = { ...this.state, ...change };
    this.setState(change);
    this.charts.take(
      // Past windows are drawn over the present one alone.
      get(`/api/usage/chart?${query({ ...(plan && { plan }), ...(meter && { meter }), range, ...(past && range === 'cycle' && { past: 'on' }) })}`),
      (chart) => this.setState({ chart, problem: '' }),
      (refusal) => this.setState({ problem: refusal.message }),
    );
  }

  plan({ name, heading, lines }) {
    // A line names its meter; one that does not says something else of the plan.
    const meters = lines.filter((line) => line.meter);
    const rest = lines.filter((line) => !line.meter);
    return html`<section key=${name} class="of-plan" aria-label=${heading || 'Plan'}>
      ${heading && html`<h2>${heading}</h2>`}
      <ul class="meters" aria-label=${heading ? `Meters of ${heading}` : 'Meters'}>
        ${meters.map((line) => html`<${Meter} key=${line.meter} line=${line} />`)}
      </ul>
      <div class="notes">${rest.map((line) => html`<p class="told">${line.text}${line.under && html`<span class="under">${line.under}</span>`}</p>`)}</div>
    </section>`;
  }

  // choose draws the meter of an option.
  choose(option) {
    const [plan, meter] = option.split(' ');
    this.load({ plan, meter });
  }

  history() {
    const { chart, range, problem } = this.state;
    if (problem) {
      return html`<p class="told bad" role="alert">${problem} <${Again} onClick=${() => this.load()} /></p>`;
    }
    if (!chart) {
      return null;
    }
    return html`
      ${chart.last.length > 0
        ? html`<${Chart} chart=${chart} /><${Days} chart=${chart} /><${Figures} chart=${chart} />`
        : html`<p class="empty">There is no history of this time yet. Windsock notes the figures while it runs, so the first part of this chart is there within minutes, and the first whole day tomorrow.</p>`}
      <p class="aside"><a href="/api/usage/history.csv?${query({ plan: chart.plan, meter: chart.meter, range })}" download="windsock-history.csv">Save as CSV</a></p>`;
  }

  // chosenHeading says of which plan the meter is, which the closed list does not.
  chosenHeading() {
    const { chart } = this.state;
    const heading = chart.plans.find(({ name }) => name === chart.plan)?.heading;
    return heading && html` <span class="faint">of ${heading}</span>`;
  }

  render(_, { plan: chosen, chart, range, past }) {
    return html`<section class="usage" aria-label="Usage">
      ${this.props.plans.map((plan) => this.plan(plan))}
      <div class="controls">
        ${chart?.plans.flatMap(({ meters }) => meters).length > 1 && html`<label>Meter <select onChange=${(e) => this.choose(e.target.value)}>
          ${chart.plans.map(({ name, heading, meters }) => {
            const options = meters.map((m) => html`<option value="${name} ${m.id}" selected=${name === chart.plan && m.id === chart.meter}>${m.label}</option>`);
            return heading ? html`<optgroup label=${heading}>${options}</optgroup>` : options;
          })}</select>${this.chosenHeading()}</label>`}
        <${Choice} legend="Range" name="range" options=${ranges} chosen=${range} choose=${(value) => this.load({ range: value })} />
        ${range === 'cycle' && chart?.even.length > 0 && html`<label class="check"><input type="checkbox" checked=${past} onChange=${(e) => this.load({ past: e.target.checked })} />Past windows</label>
          ${past && chart.past.length === 0 && html`<span class="faint">None has been seen yet.</span>`}`}
      </div>
      ${this.history()}
      <${Spend} plan=${chosen} plans=${this.props.plans} />
    </section>`;
  }
}
