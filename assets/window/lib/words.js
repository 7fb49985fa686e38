// Figures and times as a person reads them, in the words of the rest of Windsock.

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });

// clock is how the settings have the time of day written.
export const clock = { twelveHour: false };

const known = (n) => n !== null && n !== undefined;

// figure is a number with at most two decimals. What is unknown is a dash, never 0.
export function figure(n) {
  if (!known(n)) {
    return '–';
  }
  return n > 0 && n < 0.01 ? '<0.01' : plain.format(n);
}

const units = { credits: ['credit', 'credits'] };

// amount is a figure with its unit.
export function amount(n, unit) {
  switch (unit) {
    case 'percent': return `${figure(n)} %`;
    case 'usd': return `$${Number(n).toFixed(2)}`;
    case 'acu': return `${fine.format(n)} ${n === 1 ? 'ACU' : 'ACUs'}`;
    default: return `${figure(n)} ${(units[unit] ?? [unit, unit])[n === 1 ? 0 : 1]}`;
  }
}

// bytes is a size on disk.
export function bytes(n) {
  if (!known(n)) {
    return 'unknown';
  }
  const scale = n < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(n) / 3));
  const value = n / 1000 ** scale;
  return `${value < 10 && scale > 0 ? value.toFixed(1) : Math.round(value)} ${['B', 'kB', 'MB', 'GB', 'TB'][scale]}`;
}

export const plural = (n, one, many = `${one}s`) => `${plain.format(n)} ${n === 1 ? one : many}`;

const times = {
  false: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  true: new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', hourCycle: 'h12' }),
};
const time = (date) => times[clock.twelveHour].format(date).replace('\u202f', ' '); // as the rest of Windsock has it
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const near = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const far = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

// moment is a time near now: the weekday and the clock within six days, the date
// beyond, with its year where another one's could be meant.
export function moment(at, now = new Date()) {
  const date = new Date(at);
  const days = Math.abs(date - now) / 864e5;
  if (days <= 6) {
    return `${weekday.format(date)} ${time(date)}`;
  }
  return days < 330 ? near.format(date) : far.format(date);
}

// full is a time that stands alone, as in a table.
export const full = (at) => `${far.format(new Date(at))}, ${time(new Date(at))}`;

// day is a date such as 2026-02-03, which has no time zone.
export const day = (text) => near.format(new Date(`${text}T12:00:00`));

// ago is how long something was left alone.
export function ago(at, now = new Date()) {
  const days = Math.floor((now - new Date(at)) / 864e5);
  if (days < 1) {
    return 'today';
  }
  if (days < 60) {
    return plural(days, 'day');
  }
  return days < 730 ? plural(Math.floor(days / 30), 'month') : plural(Math.floor(days / 365), 'year');
}
