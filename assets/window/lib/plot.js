// uPlot, loaded when the first chart is drawn, with what all charts here share.
import { clock } from './words.js';

let loading;

// load fetches the library. It is no module, so it comes as a script of its own.
export function load() {
  loading ??= new Promise((resolve, reject) => {
    const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/assets/vendor/uplot/uPlot.min.css' });
    const script = Object.assign(document.createElement('script'), { src: '/assets/vendor/uplot/uPlot.iife.min.js' });
    script.onload = () => resolve(globalThis.uPlot);
    script.onerror = () => reject(new Error('load uPlot'));
    document.head.append(style, script);
  });
  return loading;
}

// colour is one of the style sheet's, as it is now: a canvas does not follow a
// change from light to dark by itself.
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const dark = matchMedia('(prefers-color-scheme: dark)');

// times are how uPlot writes a tick, by what is between two of them.
function times() {
  const hour = clock.twelveHour ? '{h}:{mm} {AA}' : '{HH}:{mm}';
  const short = [hour, '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1];
  return [
    [31536000, '{YYYY}', null, null, null, null, null, null, 1],
    [2419200, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
    [86400, '{D} {MMM}', null, null, null, null, null, null, 1],
    [3600, ...short],
    [60, ...short],
  ];
}

// axes are drawn in the page's own type and colours.
export function axes(values) {
  const shared = { stroke: colour('faint'), font: '12px system-ui, sans-serif', grid: { stroke: colour('line'), width: 1 }, ticks: { stroke: colour('line'), width: 1, size: 4 } };
  return [
    { ...shared, values: times(), space: 64, size: 40, grid: { show: false } },
    { ...shared, values: (_, ticks) => ticks.map(values), size: 56, space: 36 },
  ];
}

// keys has the arrow keys move the mark that a mouse moves.
export function keys(event, plot) {
  const [times] = plot.data;
  const at = plot.cursor.idx ?? times.length;
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: times.length - 1 }[event.key];
  if (to === undefined) {
    return;
  }
  event.preventDefault();
  const idx = Math.max(0, Math.min(times.length - 1, to));
  const value = plot.data.slice(1).map((s) => s[idx]).find((v) => v !== null && v !== undefined) ?? 0;
  plot.setCursor({ left: plot.valToPos(times[idx], 'x'), top: plot.valToPos(value, 'y') });
}
