// The chart of a meter: what was used over time, the line of an even pace, the
// band of the forecast, resets, and now.
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

const lineOf = (label, stroke, more) => ({ label, stroke, width: 1.5, points: { show: false }, ...more });

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
    const data = columns([chart.points, chart.even ?? [], forecast?.mid ?? [], forecast?.low ?? [], forecast?.high ?? []]);
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
        lineOf('Least', 'transparent'),
        lineOf('Most', 'transparent'),
      ],
      bands: [{ series: [5, 4], fill: colour('band') }],
      hooks: { draw: [(plot) => marks(plot, chart)], setCursor: [(plot) => this.read(plot)] },
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
      const last = chart.points.findLast(([t]) => t <= at);
      words.push(last && last[1] !== null ? `${amount(last[1], chart.unit)} used` : 'not seen');
    } else {
      const [low, high] = [between(chart.forecast?.low, at), between(chart.forecast?.high, at)];
      if (low !== null && high !== null) {
        words.push(`${figure(Math.min(low, high))} – ${amount(Math.max(low, high), chart.unit)} used, by the forecast`);
      }
    }
    const even = between(chart.even, at);
    if (even !== null) {
      words.push(`${amount(even, chart.unit)} at an even pace`);
    }
    this.setState({ reading: words.join(' · ') });
  }

  render({ chart }, { reading }) {
    return html`<figure class="chart">
      <div class="plot" ref=${this.place} tabindex="0" role="application" aria-roledescription="chart" aria-label=${`Used over time. ${chart.words} The arrow keys read the values.`}
        onKeyDown=${(e) => this.plot && keys(e, this.plot)}></div>
      <figcaption>
        <p class="read" role="status">${reading || html`<span class="hint">Point at the chart, or use the arrow keys, to read a value.</span>`}</p>
        <ul class="legend" aria-label="Legend">
          <li class="used">Used</li>
          ${chart.even?.length > 0 && html`<li class="even">Even pace</li>`}
          ${chart.forecast && html`<li class="forecast">Forecast</li>`}
          ${chart.resets_on && html`<li class="plain">Resets ${chart.resets_on}</li>`}
        </ul>
      </figcaption>
    </figure>`;
  }
}
