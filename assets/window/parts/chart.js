// The chart of a meter: what was used over time, the line of an even pace, the fan
// of the forecast, past windows, resets, and now.
import { html, Component, createRef } from '../lib/render.js';
import { axes, colour, dark, keys, load } from '../lib/plot.js';
import { amount, figure, moment } from '../lib/words.js';

// columns puts lines of different times on one axis of time. A line is null where
// it has no point of its own; uPlot joins what spans such a gap.
function columns(lines) {
  const times = [...new Set(lines.flatMap((line) => line.map(([at]) => at)))].sort((a, b) => a - b);
  const index = new Map(times.map((at, i) => [at, i]));
  return [times, ...lines.map((line) => {
    const column = new Array(times.length).fill(undefined);
    for (const [at, value] of line) {
      column[index.get(at)] = value; // a null is a time that was not seen, and stays a gap
    }
    return column;
  })];
}

// between is a line's value at a time between its ends; null beyond them.
function between(line, at) {
  const i = line?.findIndex(([t]) => t >= at) ?? -1;
  if (i < 0 || at < line[0][0]) {
    return null;
  }
  const [[from, low], [to, high]] = [line[Math.max(0, i - 1)], line[i]];
  return to === from ? high : low + ((high - low) * (at - from)) / (to - from);
}

// after is a forecast's line at a time: it rests where it ends, at the total.
const after = (line, at) => between(line, at) ?? (at > line?.at(-1)[0] ? line.at(-1)[1] : null);

// before is what a line of steps last showed at a time; null where it did not begin.
const before = (line, at) => line.findLast(([t]) => t <= at)?.[1] ?? null;

// about leaves out the digits that would promise too much.
const about = (n) => (n >= 10 ? Math.round(n) : n);

// edge is the upper edge of the fan. Once the highest line has ended at the total, the
// total is the edge, until the lowest line ends.
function edge({ low, high }) {
  const [end, figure] = [low.at(-1)[0], high.at(-1)[1]];
  return end > high.at(-1)[0] ? [...high, [end, figure]] : high;
}

const lineOf = (label, stroke, more) => ({ label, stroke, width: 1.5, points: { show: false }, ...more });

// behind draws past windows below all the rest.
function behind(plot, past) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = colour('past');
  ctx.lineWidth = devicePixelRatio;
  for (const { points } of past) {
    ctx.beginPath();
    let last;
    for (const [at, value] of points) {
      const [x, y] = [plot.valToPos(at, 'x', true), plot.valToPos(value, 'y', true)];
      ctx.lineTo(x, last ?? y); // a figure holds until the next one
      ctx.lineTo(x, y);
      last = y;
    }
    ctx.stroke();
  }
  ctx.restore();
}

// marks draws what is at one time or one height: all there is, resets and now.
function marks(plot, chart) {
  const { ctx, bbox } = plot;
  const upright = (at, style, dash, text) => {
    const x = plot.valToPos(at, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) {
      return;
    }
    ctx.save();
    ctx.strokeStyle = style;
    ctx.fillStyle = style;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash(dash.map((n) => n * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    const right = x + ctx.measureText(text).width + 8 * devicePixelRatio > bbox.left + bbox.width;
    ctx.textAlign = right ? 'right' : 'left';
    ctx.fillText(x > bbox.left + 1 ? text : '', x + (right ? -4 : 4) * devicePixelRatio, bbox.top + bbox.height - 6 * devicePixelRatio);
    ctx.restore();
  };
  if (chart.total) {
    const y = plot.valToPos(chart.total, 'y', true);
    ctx.save();
    ctx.strokeStyle = colour('bad');
    ctx.fillStyle = colour('bad');
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.fillText(`all ${chart.total_words}`, bbox.left + 4 * devicePixelRatio, y + 13 * devicePixelRatio);
    ctx.restore();
  }
  for (const at of chart.resets) {
    upright(at, colour('faint'), [2, 3], 'reset');
  }
  upright(seconds(chart.now), colour('text'), [], 'now');
}

// seconds is a time as the chart counts it, whichever way it is written.
const seconds = (at) => (typeof at === 'number' ? at : Date.parse(at) / 1000);

export class Chart extends Component {
  place = createRef();

  state = { reading: '' };

  componentDidMount() {
    this.redraw = () => this.draw();
    dark.addEventListener('change', this.redraw);
    this.watcher = new ResizeObserver(() => this.plot?.setSize(this.size()));
    this.watcher.observe(this.place.current);
    this.draw();
  }

  componentDidUpdate(before) {
    if (before.chart !== this.props.chart) {
      this.draw();
    }
  }

  componentWillUnmount() {
    this.gone = true;
    dark.removeEventListener('change', this.redraw);
    this.watcher.disconnect();
    this.plot?.destroy();
  }

  size() {
    return { width: Math.max(200, this.place.current.clientWidth), height: 240 };
  }

  async draw() {
    const UPlot = await load();
    if (this.gone) {
      return;
    }
    const { chart } = this.props;
    const { forecast } = chart;
    const used = colour('accent');
    const fan = forecast ? [forecast.mid, forecast.low, edge(forecast)] : [[], [], []];
    const data = columns([chart.points, chart.even ?? [], ...fan]);
    this.plot?.destroy();
    this.plot = new UPlot({
      ...this.size(),
      legend: { show: false },
      cursor: { y: false, drag: { setScale: false }, points: { show: (_, series) => series === 1 ? undefined : null } },
      scales: { y: { range: (_, __, most) => [0, Math.max(chart.total ?? 0, most || 0, 1) * 1.04] } },
      axes: axes(figure),
      series: [
        {},
        lineOf('Used', used, { width: 2, points: { show: chart.points.length < 20, size: 6, fill: used }, fill: colour('accent-soft'), paths: UPlot.paths.stepped({ align: 1 }) }),
        lineOf('Even pace', colour('faint'), { dash: [6, 4] }),
        lineOf('Forecast', used, { dash: [2, 3], width: 2 }),
        lineOf('Low', colour('fan'), { width: 1 }),
        lineOf('High', colour('fan'), { width: 1 }),
      ],
      bands: [{ series: [5, 4], fill: colour('band') }],
      hooks: { drawAxes: [(plot) => behind(plot, chart.past)], draw: [(plot) => marks(plot, chart)], setCursor: [(plot) => this.read(plot)] },
    }, data, this.place.current);
  }

  // read says in words what is under the mark.
  read(plot) {
    const { chart } = this.props;
    const { left } = plot.cursor;
    if (left === undefined || left < 0) {
      this.setState({ reading: '' });
      return;
    }
    const at = plot.posToVal(left, 'x');
    const words = [moment(at * 1000, new Date(seconds(chart.now) * 1000))];
    if (at <= seconds(chart.now)) {
      const used = before(chart.points, at);
      words.push(used === null ? 'not seen' : `${amount(used, chart.unit)} used`);
    } else if (chart.forecast && at <= chart.forecast.low.at(-1)[0]) {
      const [low, mid, high] = ['low', 'mid', 'high'].map((name) => about(after(chart.forecast[name], at)));
      words.push(`forecast ${amount(mid, chart.unit)} used, 8 times in 10 from ${figure(low)} to ${figure(high)}`);
    }
    const even = between(chart.even, at);
    if (even !== null) {
      words.push(`${amount(about(even), chart.unit)} at an even pace`);
    }
    const past = chart.past.map(({ points }) => before(points, at)).filter((value) => value !== null).map(about);
    if (past.length > 0) {
      words.push(`past windows from ${figure(Math.min(...past))} to ${amount(Math.max(...past), chart.unit)}`);
    }
    this.setState({ reading: words.join(' · ') });
  }

  render({ chart }, { reading }) {
    return html`<figure class="chart">
      <div class="plot" ref=${this.place} tabindex="0" role="application" aria-roledescription="chart" aria-label=${`Used over time. ${chart.words} ${chart.forecast?.words ?? ''} The arrow keys read the values.`}
        onKeyDown=${(e) => this.plot && keys(e, this.plot)}></div>
      <figcaption>
        <p class="read" role="status">${reading || html`<span class="hint">Point at the chart, or use the arrow keys, to read a value.</span>`}</p>
        <ul class="legend" aria-label="Legend">
          <li class="used">Used</li>
          ${chart.even?.length > 0 && html`<li class="even">Even pace</li>`}
          ${chart.forecast && html`<li class="middle">Forecast</li><li class="fan">8 times in 10</li>`}
          ${chart.past.length > 0 && html`<li class="past">Past windows</li>`}
          ${chart.resets_on && html`<li class="plain">Resets ${chart.resets_on}</li>`}
        </ul>
        ${chart.forecast && html`<p class="odds">${chart.forecast.odds}</p>`}
      </figcaption>
    </figure>`;
  }
}
