// What was used each day, in bars. They are plain elements: so few do not need a
// canvas, and each can be pointed at.
import { html, Component } from '../lib/render.js';

export class Days extends Component {
  state = { at: -1 };

  key(event) {
    const last = this.props.chart.days.length - 1;
    const { at } = this.state;
    const to = { ArrowLeft: at < 0 ? last : at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.setState({ at: Math.max(0, Math.min(last, to)) });
    }
  }

  render({ chart }, { at }) {
    // A day whose use is not known has no bar; its place is kept.
    const { days } = chart;
    const seen = days.filter((d) => d.used !== null);
    if (seen.length === 0) {
      return null;
    }
    const most = Math.max(...seen.map((d) => d.used));
    const pointed = days[at];
    return html`<figure class="days">
      <h2>Each day</h2>
      ${most > 0 && html`<div class="bars" role="application" aria-roledescription="chart" tabindex="0" aria-label="Used each day; the arrow keys read the values"
        onKeyDown=${(e) => this.key(e)} onMouseLeave=${() => this.setState({ at: -1 })}>
        ${days.map((d, i) => html`<span class=${i === at ? 'at' : ''} onMouseEnter=${() => this.setState({ at: i })}>
          <i style=${{ height: d.used > 0 ? `max(2px, ${(100 * d.used) / most}%)` : '0' }}></i></span>`)}
      </div>
      <div class="ends" aria-hidden="true"><span>${days[0].day}</span><span>${days.length > 1 ? days.at(-1).day : ''}</span></div>`}
      <figcaption><p class="read" role="status">${pointed
        ? `${pointed.day} · ${pointed.words}${pointed.used === null ? '' : ' used'}`
        : chart.days_words}</p></figcaption>
    </figure>`;
  }
}
