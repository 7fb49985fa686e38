// The cascades view: what cleaning would archive and what it keeps, and why. The
// plan is the server's; only what it has can be chosen.
import { html, Component } from '../lib/render.js';
import { Latest, get, listen, post, query } from '../lib/server.js';
import { bytes } from '../lib/words.js';
import { Again } from '../parts/controls.js';

const sorts = {
  title: (a, b) => a.title.localeCompare(b.title),
  last_touched: (a, b) => Date.parse(a.last_touched) - Date.parse(b.last_touched),
  bytes: (a, b) => (a.bytes ?? -1) - (b.bytes ?? -1),
};

// size is of what is chosen, and says so where some of it is not known.
function size(items) {
  const known = items.filter((item) => item.bytes !== null);
  const unknown = items.length - known.length;
  if (known.length === 0 && unknown > 0) {
    return 'of unknown size';
  }
  return bytes(known.reduce((sum, item) => sum + item.bytes, 0)) + (unknown > 0 ? `, and ${unknown} of unknown size` : '');
}

export class Cascades extends Component {
  plans = new Latest();

  state = { plan: null, problem: '', chosen: new Set(), sort: 'bytes', down: true, days: 14, keep: 10, progress: null, result: null };

  componentDidMount() {
    this.unlisten = listen('clean', (event) => this.hear(event));
    this.load();
  }

  componentWillUnmount() {
    this.unlisten();
    clearTimeout(this.waiting);
  }

  rules() {
    return { older_than: `${this.state.days}d`, keep: this.state.keep };
  }

  load() {
    this.plans.take(
      get(`/api/clean/plan?${query(this.rules())}`),
      (plan) => this.setState({ plan, problem: '', chosen: new Set(plan.items.map((item) => item.cascade_id)) }),
      (refusal) => this.setState({ plan: null, problem: refusal.message }),
    );
  }

  hear(event) {
    switch (event.kind) {
      case 'progress':
        this.setState({ progress: event });
        break;
      case 'done':
        this.setState({ progress: null, result: event.result });
        this.load();
        break;
      case 'failed':
        this.setState({ progress: null, problem: event.sentence });
        break;
    }
  }

  async start(path, body, total) {
    this.setState({ progress: { done: 0, total }, problem: '', result: null });
    try {
      await post(path, body);
    } catch (refusal) {
      this.setState({ progress: null, problem: refusal.message });
    }
  }

  change(rule, text) {
    const n = Number(text);
    if (text.trim() === '' || !Number.isInteger(n) || n < 0 || n > 10000) {
      return;
    }
    this.setState({ [rule]: n });
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.load(), 300);
  }

  choose(ids, on) {
    this.setState(({ chosen: before }) => {
      const chosen = new Set(before);
      ids.forEach((id) => (on ? chosen.add(id) : chosen.delete(id)));
      return { chosen };
    });
  }

  head(by, label, more) {
    const { sort, down } = this.state;
    const on = sort === by;
    return html`<th scope="col" class=${more} aria-sort=${on ? (down ? 'descending' : 'ascending') : undefined}>
      <button type="button" class="sort" onClick=${() => this.setState({ sort: by, down: on ? !down : by !== 'title' })}>
        ${label}<span aria-hidden="true">${on ? (down ? ' ↓' : ' ↑') : ''}</span></button></th>`;
  }

  table(plan) {
    const { sort, down, chosen, progress } = this.state;
    const items = [...plan.items].sort(sorts[sort]);
    if (down) {
      items.reverse();
    }
    const all = chosen.size === items.length;
    return html`<div class="wide" tabindex="0" role="group" aria-label="Stale cascades"><table class="plan">
      <thead><tr>
        <th scope="col" class="tick"><input type="checkbox" aria-label="Choose all" checked=${all} indeterminate=${!all && chosen.size > 0} disabled=${Boolean(progress)}
          onChange=${(e) => this.choose(items.map((i) => i.cascade_id), e.target.checked)} /></th>
        ${this.head('title', 'Title')}${this.head('last_touched', 'Untouched for', 'number aged')}${this.head('bytes', 'Size', 'number')}
      </tr></thead>
      <tbody>${items.map((item) => html`<tr key=${item.cascade_id}>
        <td class="tick"><input type="checkbox" id=${`c-${item.cascade_id}`} checked=${chosen.has(item.cascade_id)} disabled=${Boolean(progress)}
          aria-label=${item.title || 'Untitled'} onChange=${(e) => this.choose([item.cascade_id], e.target.checked)} /></td>
        <th scope="row"><label for=${`c-${item.cascade_id}`}>${item.title || html`<em>Untitled</em>`}</label>
          <span class="under" dir="auto"><span class="brief">${item.age} ${item.workspace && '· '}</span>${item.workspace}</span></th>
        <td class="number aged" title=${item.touched}>${item.age}</td>
        <td class="number">${item.size}</td>
      </tr>`)}</tbody>
    </table></div>`;
  }

  outcome({ words, failed }) {
    return html`<p class="told good" role="status">${words}</p>
      ${failed.length > 0 && html`<div class="told bad" role="alert"><p>These could not be changed:</p>
        <ul>${failed.map((f) => html`<li>${f.title && `${f.title}: `}${f.message}</li>`)}</ul></div>`}`;
  }

  render(_, { plan, problem, chosen, days, keep, progress, result }) {
    const picked = plan?.items.filter((item) => chosen.has(item.cascade_id)) ?? [];
    return html`<section class="cascades" aria-label="Cascades">
      <p class="intro">Each conversation with the editor’s agent is a cascade, and its trajectory stays behind. Archiving takes old ones out of the editor’s list, and the editor makes their files smaller. What it leaves out of them is not known. Windsock deletes nothing, and undo puts them back into the list.</p>
      <div class="controls">
        <label>Untouched for <input type="number" min="0" max="10000" value=${days} onInput=${(e) => this.change('days', e.target.value)} disabled=${Boolean(progress)} /> days</label>
        <label>Always keep the newest <input type="number" min="0" max="10000" value=${keep} onInput=${(e) => this.change('keep', e.target.value)} disabled=${Boolean(progress)} /></label>
      </div>
      ${plan?.files_only && html`<p class="told">This editor does not list its cascades, so this list comes from their files.</p>`}
      ${problem && html`<p class="told bad" role="alert">${problem} <${Again} onClick=${() => this.load()} /></p>`}
      ${result && this.outcome(result)}
      ${progress && html`<div class="progress"><progress max=${progress.total || 1} value=${progress.done} aria-label="Progress"></progress>
        <p role="status">${progress.done} of ${progress.total}</p></div>`}
      ${plan && (plan.items.length > 0 ? this.table(plan) : html`<p class="empty">Nothing is stale. There is nothing to archive.</p>`)}
      ${plan && html`<div class="actions bar-of">
        ${plan.items.length > 0 && html`<span class="total">${picked.length} of ${plan.items.length} chosen, ${size(picked)}</span>
        <button type="button" class="primary" disabled=${picked.length === 0 || Boolean(progress)}
          onClick=${() => this.start('/api/clean/run', { ids: picked.map((i) => i.cascade_id), ...this.rules() }, picked.length)}>Archive ${picked.length}</button>`}
        ${plan.undo && html`<button type="button" class="quiet" disabled=${Boolean(progress)}
          onClick=${() => this.start('/api/clean/undo', {}, plan.undo.count)}>Undo the last run (${plan.undo.words})</button>`}
      </div>`}
      ${plan?.kept.length > 0 && html`<section class="kept"><h2>What is kept, and why</h2>
        <ul>${plan.kept.map((reason) => html`<li><b>${reason.count}</b> ${reason.words}</li>`)}</ul></section>`}
    </section>`;
  }
}
