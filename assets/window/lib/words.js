// Figures and times that the page itself has to write: what is under the mark of a
// chart, and the sum of what was chosen. All others come in words, from the server.

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

// clock is how the settings have the time of day written.
export const clock = { twelveHour: false };

// figure is a number with at most two decimals.
export const figure = (n) => (n > 0 && n < 0.01 ? '<0.01' : plain.format(n));

const units = { credits: 'credit', acu: 'ACU', requests: 'request' };

// amount is a figure with its unit.
export function amount(n, unit) {
  switch (unit) {
    case 'percent': return `${figure(n)} %`;
    case 'usd': return `$${n.toFixed(2)}`;
    default: return `${figure(n)} ${units[unit]}${figure(n) === '1' ? '' : 's'}`;
  }
}

// bytes is a size on disk.
export function bytes(n) {
  const scale = n < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(n) / 3));
  const value = n / 1000 ** scale;
  return `${value < 10 && scale > 0 ? value.toFixed(1) : Math.round(value)} ${['B', 'kB', 'MB', 'GB', 'TB'][scale]}`;
}

const times = {
  false: new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  true: new Intl.DateTimeFormat('en-US', { weekday: 'short', hour: 'numeric', minute: '2-digit', hourCycle: 'h12' }),
};
const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

// moment is a time near now: the weekday and the clock within six days, else the date.
export function moment(date, now) {
  const far = Math.abs(date - now) > 6 * 864e5;
  return far ? dates.format(date) : times[clock.twelveHour].format(date).replace(',', '').replace('\u202f', ' ');
}
